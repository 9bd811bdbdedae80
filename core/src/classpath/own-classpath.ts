import { parseClasspath } from './classpath.ts';
import { ClasspathMismatchError } from './classpath-mismatch-error.ts';

/**
 * The classpath a class names for itself. Statics are inherited in JavaScript, so a subclass without a classpath of its
 * own would be stored as its parent, and the parent would run: that is refused.
 */
export function ownClasspath(target: abstract new (...args: never[]) => unknown): string {
  const className = target.name || 'an anonymous class';
  const classpath = (target as { classpath?: unknown }).classpath;
  if (typeof classpath !== 'string') {
    throw new ClasspathMismatchError(
      className,
      undefined,
      `it has none. Add: static override readonly classpath = '<package or project:file>#${target.name || 'Name'}';`,
    );
  }
  if (!Object.hasOwn(target, 'classpath')) {
    throw new ClasspathMismatchError(
      className,
      classpath,
      `it inherited that one, so its parent would run in its place. Give ${className} a static classpath of its own.`,
    );
  }
  parseClasspath(classpath);
  return classpath;
}
