import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Classpath,
  ClasspathError,
  ClasspathMismatchError,
  formatClasspath,
  ownClasspath,
  parseClasspath,
} from '../src/index.ts';

const RUNS = { numRuns: 1000 };
const PLAIN = { noNullPrototype: true } as const;
const FORM =
  'Write "<package>/<subpath>#<export>", such as "@windhover/provider-amazon/s3#S3KeyTrigger", ' +
  'or "project:<file>#<export>" for a file of the project.';

const exportName = fc
  .oneof(fc.stringMatching(/^[A-Za-z$_][\w$]{0,12}$/), fc.constantFrom('default', 'Zähler', '触发器', '$', '_', 'A1'))
  .filter((name) => name !== '__proto__');
const nameSegment = fc.stringMatching(/^[a-z0-9~-][a-z0-9._~-]{0,12}$/);
const subpathSegment = fc.stringMatching(/^[A-Za-z0-9_~-][A-Za-z0-9._~-]{0,12}$/);
const packageClasspath = fc.record(
  {
    type: fc.constant('package' as const),
    packageName: fc.oneof(
      nameSegment,
      fc.tuple(nameSegment, nameSegment).map(([scope, name]) => `@${scope}/${name}`),
    ),
    subpath: fc.array(subpathSegment, { maxLength: 3 }).map((segments) => segments.join('/')),
    exportName,
  },
  PLAIN,
);
const fileSegment = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
  .filter((text) => !/[/\\#:\0%]/.test(text) && text !== '.' && text !== '..');
const projectClasspath = fc.record(
  {
    type: fc.constant('project' as const),
    file: fc.array(fileSegment, { minLength: 1, maxLength: 4 }).map((segments) => segments.join('/')),
    exportName,
  },
  PLAIN,
);
const anyClasspath: fc.Arbitrary<Classpath> = fc.oneof(packageClasspath, projectClasspath);

describe('parseClasspath', () => {
  test('reads back every classpath that formatClasspath writes', () => {
    fc.assert(
      fc.property(anyClasspath, (classpath) => {
        expect(parseClasspath(formatClasspath(classpath))).toStrictEqual(classpath);
      }),
      RUNS,
    );
  });

  test('keeps the text: there is one form of each classpath', () => {
    fc.assert(
      fc.property(anyClasspath.map(formatClasspath), (text) => {
        expect(formatClasspath(parseClasspath(text))).toBe(text);
      }),
      RUNS,
    );
  });

  test('either refuses a text or gives it back unchanged', () => {
    const noise = fc.string({ unit: fc.constantFrom(...'a@/.#:\\~_-$ %?\n\0pkgroject') });
    fc.assert(
      fc.property(
        fc.oneof(
          noise,
          noise.map((text) => `project:${text}#A`),
          noise.map((text) => `pkg/${text}#A`),
        ),
        (text) => {
          let classpath: Classpath;
          try {
            classpath = parseClasspath(text);
          } catch (error) {
            expect(error).toBeInstanceOf(ClasspathError);
            return;
          }
          expect(formatClasspath(classpath)).toBe(text);
        },
      ),
      { numRuns: 5000 },
    );
  });

  test.each([
    [
      '@windhover/provider-amazon/s3#S3KeyTrigger',
      { type: 'package', packageName: '@windhover/provider-amazon', subpath: 's3', exportName: 'S3KeyTrigger' },
    ],
    ['acme#AcmeTrigger', { type: 'package', packageName: 'acme', subpath: '', exportName: 'AcmeTrigger' }],
    ['acme/a/b.js#default', { type: 'package', packageName: 'acme', subpath: 'a/b.js', exportName: 'default' }],
    [
      'project:dags/triggers/acme-trigger.ts#AcmeTrigger',
      { type: 'project', file: 'dags/triggers/acme-trigger.ts', exportName: 'AcmeTrigger' },
    ],
    ['project:..a/...#A', { type: 'project', file: '..a/...', exportName: 'A' }],
  ])('understands %s', (text, classpath) => {
    expect(parseClasspath(text)).toStrictEqual(classpath);
  });

  test.each([
    ['node:fs#rmSync', '"node:fs" is a URL or a built-in module, not a package'],
    ['file:///x#y', '"file:///x" is a URL or a built-in module, not a package'],
    ['data:text/javascript,1#y', '"data:text/javascript,1" is a URL or a built-in module, not a package'],
    ['https://evil.example/x.js#y', '"https://evil.example/x.js" is a URL or a built-in module, not a package'],
    ['C:/x#A', '"C:/x" is a URL or a built-in module, not a package'],
    ['../../etc#x', '"../../etc" is a path, not a package'],
    ['./x#y', '"./x" is a path, not a package'],
    ['/abs#x', '"/abs" is a path, not a package'],
    ['\\\\host\\share#x', '"\\\\host\\share" is a path, not a package'],
    ['pkg/../x#y', '".." is not part of a package\'s subpath'],
    ['pkg/./x#y', '"." is not part of a package\'s subpath'],
    ['pkg/..#y', '".." is not part of a package\'s subpath'],
    ['pkg//x#y', '"" is not part of a package\'s subpath'],
    ['pkg/x/#y', '"" is not part of a package\'s subpath'],
    ['pkg/a\\b#y', '"a\\b" is not part of a package\'s subpath'],
    ['pkg/%2e%2e/x#y', '"%2e%2e" is not part of a package\'s subpath'],
    ['pkg/x?v=1#y', '"x?v=1" is not part of a package\'s subpath'],
    ['@scope/pkg/../../x#y', '".." is not part of a package\'s subpath'],
    ['pkg\\x#y', '"pkg\\x" is not a package name'],
    ['pkg/#y', '"pkg/" is not a package name'],
    ['@scope#y', '"@scope" is not a package name'],
    ['@../x#y', '"@../x" is not a package name'],
    ['#internal#y', '"#internal" is not a package name'],
    ['Pkg#y', '"Pkg" is not a package name'],
    ['#y', '"" is not a package name'],
    ['a#b#c', '"a#b" is not a package name'],
    ['pkg\n#y', '"pkg\n" is not a package name'],
    ['', 'it has no "#" before the name of the export'],
    ['@windhover/provider-amazon/s3', 'it has no "#" before the name of the export'],
    ['pkg#', '"" is not the name of an export'],
    ['pkg#a.b', '"a.b" is not the name of an export'],
    ['pkg#a-b', '"a-b" is not the name of an export'],
    ['pkg#1a', '"1a" is not the name of an export'],
    ['pkg#a ', '"a " is not the name of an export'],
    ['pkg#a\n', '"a\n" is not the name of an export'],
    ['pkg#__proto__', '"__proto__" is not the name of an export'],
    ['project:a.ts#__proto__', '"__proto__" is not the name of an export'],
    ['project:../x.ts#A', '"../x.ts" is not a plain path below the project\'s root'],
    ['project:a/../../x.ts#A', '"a/../../x.ts" is not a plain path below the project\'s root'],
    ['project:a/./x.ts#A', '"a/./x.ts" is not a plain path below the project\'s root'],
    ['project:a//x.ts#A', '"a//x.ts" is not a plain path below the project\'s root'],
    ['project:/abs.ts#A', '"/abs.ts" is not a plain path below the project\'s root'],
    ['project:C:/x#A', '"C:/x" is not a plain path below the project\'s root'],
    ['project:node:fs#A', '"node:fs" is not a plain path below the project\'s root'],
    ['project:file:///x#A', '"file:///x" is not a plain path below the project\'s root'],
    ['project:dags/#A', '"dags/" is not a plain path below the project\'s root'],
    ['project:#A', '"" is not a file of the project'],
    ['project:a\\..\\x.ts#A', '"a\\..\\x.ts" is not a file of the project'],
    ['project:a#b.ts#A', '"a#b.ts" is not a file of the project'],
    ['project:a\0.ts#A', '"a\0.ts" is not a file of the project'],
  ])('refuses %j and says why', (text, reason) => {
    const error = catchError(() => parseClasspath(text));
    expect(error).toBeInstanceOf(ClasspathError);
    expect(error).toMatchObject({ message: `Not a classpath: "${text}": ${reason}. ${FORM}`, classpath: text });
  });

  test.each(['project:node_modules/shelljs/shell.js#exec', 'project:dags/node_modules/x/y.js#A'])(
    'refuses %s, because a row may only load packages by their public exports',
    (text) => {
      expect(() => parseClasspath(text)).toThrow(ClasspathError);
    },
  );
});

describe('ownClasspath', () => {
  class Parent {
    static readonly classpath: string = 'acme#Parent';
    readonly id = 1;
  }

  test('answers the classpath a class declares itself', () => {
    class Child extends Parent {
      static override readonly classpath = 'acme/sub#Child';
    }
    expect(ownClasspath(Parent)).toBe('acme#Parent');
    expect(ownClasspath(Child)).toBe('acme/sub#Child');
  });

  test('refuses an inherited classpath, because the parent would run in its place', () => {
    class Child extends Parent {}
    const error = catchError(() => ownClasspath(Child));
    expect(error).toBeInstanceOf(ClasspathMismatchError);
    expect(error).toMatchObject({
      message:
        'Cannot store Child by its classpath "acme#Parent": it inherited that one, so its parent would run in its ' +
        'place. Give Child a static classpath of its own.',
      className: 'Child',
      classpath: 'acme#Parent',
    });
  });

  test('refuses a class without a classpath and shows the line to add', () => {
    class Bare {}
    const error = catchError(() => ownClasspath(Bare));
    expect(error).toBeInstanceOf(ClasspathMismatchError);
    expect(error).toMatchObject({
      message:
        'Cannot store Bare by its classpath: it has none. ' +
        "Add: static override readonly classpath = '<package or project:file>#Bare';",
      className: 'Bare',
      classpath: undefined,
    });
  });

  test('speaks of an anonymous class where there is no name', () => {
    expect(() => ownClasspath((() => class {})())).toThrow('Cannot store an anonymous class by its classpath: ');
  });

  test('refuses a classpath of its own that is none', () => {
    class Broken {
      static readonly classpath = './broken.ts#Broken';
      readonly id = 1;
    }
    expect(() => ownClasspath(Broken)).toThrow(ClasspathError);
  });
});

function catchError(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  throw new Error('Nothing was thrown.');
}
