/** How to reach AWS. Every hook, operator and sensor takes these, and all of them reach the trigger. */
export interface AwsOptions {
  /** Null takes what the machine itself offers: environment, profile, role. Default: `aws_default`. */
  readonly awsConnId?: string | null;
  /** Default: that of the connection, then `AWS_REGION` and the profile. */
  readonly regionName?: string;
  /** False trusts any certificate; a text is the file with the certificates to trust. Default: true. */
  readonly verify?: boolean | string;
  readonly clientConfig?: AwsClientConfig;
}

/** What may be set of the vendor's client. */
export interface AwsClientConfig {
  /** How often the client itself sends a request that fails in passing. Default: 3. */
  readonly maxAttempts?: number;
  /** Default: none. */
  readonly connectionTimeoutMs?: number;
  /** Default: none. */
  readonly requestTimeoutMs?: number;
}

/** Only the options of AWS among the arguments of an operator: what a trigger stores of them. */
export function awsOptionsOf({ awsConnId, regionName, verify, clientConfig }: AwsOptions): AwsOptions {
  return {
    ...(awsConnId === undefined ? {} : { awsConnId }),
    ...(regionName === undefined ? {} : { regionName }),
    ...(verify === undefined ? {} : { verify }),
    ...(clientConfig === undefined ? {} : { clientConfig }),
  };
}
