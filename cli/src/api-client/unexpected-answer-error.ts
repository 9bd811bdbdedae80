import { WindhoverError } from '@windhover/core';

/** Something answers at this address, but not as the API of Windhover does. */
export class UnexpectedAnswerError extends WindhoverError {
  readonly code = 'E_API_ANSWER';
  readonly url: string;
  readonly status: number;

  constructor(url: string, status: number, contentType: string | null, options?: ErrorOptions) {
    super(
      `${url} answered ${status} with ${contentType ?? 'no content type'}, not as Windhover's API does. Is the address right? It comes from --url, WINDHOVER_API_URL or .windhover/standalone.json.`,
      options,
    );
    this.url = url;
    this.status = status;
  }
}
