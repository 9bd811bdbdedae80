import { brandPrototype, hasBrand } from '../brand.ts';
import type { TriggerContext } from '../context/context.ts';
import type { Json } from '../json.ts';

/**
 * An argument that is computed when the task runs. Only branded templates are called; a plain function stays a value,
 * so that an operator can take callbacks.
 */
export class Template<T> {
  readonly render: (context: TriggerContext) => T | Promise<T>;

  static {
    brandPrototype(Template.prototype, 'Template');
  }

  constructor(render: (context: TriggerContext) => T | Promise<T>) {
    this.render = render;
  }

  static isInstance(value: unknown): value is Template<unknown> {
    return hasBrand(value, 'Template');
  }
}

/**
 * ```ts
 * new S3KeySensor({ taskId: 'wait', bucketKey: template(({ logicalDate }) => `in/${logicalDate.toISOString()}.csv`) });
 * ```
 */
export function template<T>(render: (context: TriggerContext) => T | Promise<T>): Template<T> {
  return new Template(render);
}

/** A value, or a template of it, at any depth of plain objects and arrays. */
export type Templated<T> =
  | Template<T>
  | (unknown extends T
      ? T
      : [Json] extends [T]
        ? TemplatedJson | Extract<T, undefined>
        : T extends Opaque
          ? T
          : T extends object
            ? { [P in keyof T]: Templated<T[P]> }
            : T);

/** `Json` refers to itself, so it has a form of its own: looked into like other types, it would never end. */
type TemplatedJson =
  | null
  | boolean
  | number
  | string
  | Template<Json>
  | readonly TemplatedJson[]
  | { readonly [key: string]: TemplatedJson };

/** What a templated value is once it is rendered: the inverse of `Templated`. */
export type Rendered<T> =
  T extends Template<infer V> ? V : T extends Opaque ? T : T extends object ? { [P in keyof T]: Rendered<T[P]> } : T;

/** Objects that are values and not containers: rendering does not look into them. */
type Opaque =
  | ((...args: never[]) => unknown)
  | Date
  | RegExp
  | Uint8Array
  | ReadonlyMap<unknown, unknown>
  | ReadonlySet<unknown>
  | { readonly [OPAQUE]: true };

/** Classes of Windhover that may be arguments carry this in their type, so that `Templated` leaves them whole. */
export declare const OPAQUE: unique symbol;
