/** A client of the vendor's, loaded when it is first needed: parsing a DAG must not cost its import. */
export interface AwsService<Client> {
  /** For messages: `Batch`. */
  readonly name: string;
  load(): Promise<new (config: any) => Client>;
  /** What this client needs beside the common configuration. Default: nothing. */
  extraConfig?(settings: { readonly hasEndpoint: boolean }): object;
}
