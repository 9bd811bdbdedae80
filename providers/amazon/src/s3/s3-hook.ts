import type { S3 } from '@aws-sdk/client-s3';
import type { ConnectionSource } from '@windhover/core';
import { AwsError } from '../aws/aws-error.ts';
import { AwsHook } from '../aws/aws-hook.ts';
import type { AwsOptions } from '../aws/aws-options.ts';
import { s3Service } from './s3-service.ts';
import type { S3Location } from './s3-url.ts';

/** An object as a listing shows it. */
export interface S3Object {
  readonly key: string;
  readonly size: number;
  readonly eTag: string;
  readonly lastModified: Date;
  readonly storageClass?: string;
}

export interface S3ListOptions {
  readonly bucketName: string;
  /** Default: all objects. */
  readonly prefix?: string;
  /** Leaves out what has this text after the prefix: with `/`, only the objects of one folder. Default: none. */
  readonly delimiter?: string;
  /** Of one page. Default: 1,000, which is also the most. */
  readonly maxKeys?: number;
  readonly signal?: AbortSignal;
}

/** Reads, writes and lists objects of S3, or of a server that speaks its protocol. */
export class S3Hook extends AwsHook<S3> {
  constructor(source: ConnectionSource, options: AwsOptions | string = {}) {
    super(source, options, s3Service);
  }

  /** Pages of objects in the order of their keys. Stop reading, and no further page is fetched. */
  async *listPages(options: S3ListOptions): AsyncGenerator<readonly S3Object[], void, void> {
    const { bucketName, prefix = '', delimiter, maxKeys, signal } = options;
    const s3 = await this.client();
    for (let token: string | undefined, page = 0; page === 0 || token !== undefined; page += 1) {
      const request = { Bucket: bucketName, Prefix: prefix, Delimiter: delimiter, MaxKeys: maxKeys };
      const answer = await s3.listObjectsV2(
        { ...request, ...(token === undefined ? {} : { ContinuationToken: token }) },
        signal ? { abortSignal: signal } : {},
      );
      yield (answer.Contents ?? []).map(({ Key, Size, ETag, LastModified, StorageClass }) => ({
        key: Key!,
        size: Size ?? 0,
        eTag: ETag ?? '',
        lastModified: LastModified ?? new Date(0),
        ...(StorageClass === undefined ? {} : { storageClass: StorageClass }),
      }));
      token = answer.IsTruncated ? answer.NextContinuationToken : undefined;
    }
  }

  async listKeys(options: S3ListOptions): Promise<readonly string[]> {
    const keys: string[] = [];
    for await (const page of this.listPages(options)) keys.push(...page.map(({ key }) => key));
    return keys;
  }

  /** All that S3 tells of one object, or null. */
  async headObject({ bucketName, key }: S3Location): Promise<Readonly<Record<string, unknown>> | null> {
    const s3 = await this.client();
    const answer = await nullIfMissing(s3.headObject({ Bucket: bucketName, Key: key }));
    if (!answer) return null;
    const { $metadata, ...head } = answer;
    return { ...head, Key: key, Size: head.ContentLength };
  }

  /** The content, or null if there is no such object. A missing bucket is an error. */
  async readKey({ bucketName, key }: S3Location): Promise<string | null> {
    const s3 = await this.client();
    try {
      const { Body } = await s3.getObject({ Bucket: bucketName, Key: key });
      return (await Body?.transformToString()) ?? '';
    } catch (error) {
      if (AwsError.isInstance(error) && error.awsCode === 'NoSuchKey') return null;
      throw error;
    }
  }

  async writeKey({ bucketName, key }: S3Location, content: string | Uint8Array, options: object = {}): Promise<void> {
    const s3 = await this.client();
    await s3.putObject({ Bucket: bucketName, Key: key, Body: content, ...options });
  }

  async copyObject(source: S3Location & { readonly versionId?: string }, target: S3Location, options: object = {}) {
    const path = `${source.bucketName}/${source.key}`.split('/').map(encodeURIComponent).join('/');
    const version = source.versionId === undefined ? '' : `?versionId=${encodeURIComponent(source.versionId)}`;
    const s3 = await this.client();
    await s3.copyObject({ Bucket: target.bucketName, Key: target.key, CopySource: `${path}${version}`, ...options });
  }

  /** In requests of a thousand keys, the most that S3 takes. Missing keys are no error. */
  async deleteKeys(bucketName: string, keys: readonly string[]): Promise<void> {
    const s3 = await this.client();
    for (let start = 0; start < keys.length; start += 1_000) {
      const Objects = keys.slice(start, start + 1_000).map((Key) => ({ Key }));
      const { Errors = [] } = await s3.deleteObjects({ Bucket: bucketName, Delete: { Objects, Quiet: true } });
      const [first] = Errors;
      if (!first) continue;
      const facts = { kind: 'rejected', service: 'S3', operation: 'DeleteObjects', statusCode: 200 } as const;
      throw new AwsError(
        `S3 did not delete ${Errors.length} of ${Objects.length} objects of bucket "${bucketName}"; the first: "${first.Key}": ${first.Code}: ${first.Message}.`,
        { ...facts, awsCode: first.Code ?? '' },
        first,
      );
    }
  }

  async bucketExists(bucketName: string): Promise<boolean> {
    const s3 = await this.client();
    return (await nullIfMissing(s3.headBucket({ Bucket: bucketName }))) !== null;
  }
}

async function nullIfMissing<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (AwsError.isInstance(error) && error.kind === 'notFound') return null;
    throw error;
  }
}
