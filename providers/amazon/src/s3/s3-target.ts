import { type KeyMatch, type KeyPattern, keyPattern } from './key-pattern.ts';
import type { S3Hook, S3Object } from './s3-hook.ts';
import { formatS3Url, locateS3, type S3Location } from './s3-url.ts';

/** What one entry of `bucketKey` or `prefix` means; a trigger stores it. */
export interface S3Target extends S3Location {
  readonly match: KeyMatch;
}

export function s3Targets(
  keys: string | readonly string[],
  bucketName: string | undefined,
  match: KeyMatch,
): readonly S3Target[] {
  return [keys].flat().map((key) => ({ ...locateS3(key, bucketName), match }));
}

export function patternOf({ match, key }: S3Target): KeyPattern {
  return keyPattern(match, key);
}

/**
 * The first object that is meant, or undefined. A listing and not HEAD: that one answers 404 for a missing bucket too,
 * and the wait would never end.
 */
export async function findFirst(hook: S3Hook, target: S3Target): Promise<S3Object | undefined> {
  const { prefix, matches } = patternOf(target);
  const isOne = target.match === 'exact' || target.match === 'prefix';
  // An exact key is the first of those that begin with it.
  for await (const page of hook.listPages({
    bucketName: target.bucketName,
    prefix,
    ...(isOne ? { maxKeys: 1 } : {}),
  })) {
    const found = page.find(({ key }) => matches(key));
    if (found || isOne) return found;
  }
  return undefined;
}

/** All objects that are meant. */
export async function findAll(hook: S3Hook, target: S3Target): Promise<readonly S3Object[]> {
  if (target.match === 'exact') {
    const found = await findFirst(hook, target);
    return found ? [found] : [];
  }
  const { prefix, matches } = patternOf(target);
  const objects: S3Object[] = [];
  for await (const page of hook.listPages({ bucketName: target.bucketName, prefix }))
    objects.push(...page.filter(({ key }) => matches(key)));
  return objects;
}

/** What a sensor answers for a target: the object found, or the prefix itself. */
export function foundUrl(target: S3Target, found: { readonly key: string }): string {
  return formatS3Url(target.match === 'prefix' ? target : { bucketName: target.bucketName, key: found.key });
}
