const MESSAGES: Readonly<Record<number, string>> = {
  400: 'The request cannot be read.',
  401: 'The credentials are missing, or they do not hold.',
  404: 'There is nothing at this address.',
  413: 'The request is too large.',
  414: 'The address is too long.',
  415: 'The content type is not one that is read here.',
  429: 'Too many requests of this address had credentials that do not hold. Try again later.',
  431: 'The request has too many headers.',
  503: 'There is too much to do at the moment. Try again later.',
}

const CODES: Readonly<Record<number, string>> = { 401: 'UNAUTHENTICATED', 429: 'TOO_MANY_REQUESTS', 503: 'OVERLOADED' }

/** Seconds after which a client should come again that was refused for the process's own sake: by then another one may run. */
export const RETRY_AFTER_S = 5

/** The body of an error in GraphQL's own form, so that a client needs one way to read errors. */
export function problem(status: number) {
  const code = CODES[status] ?? (status >= 500 ? 'INTERNAL_SERVER_ERROR' : 'BAD_REQUEST')
  const message =
    MESSAGES[status] ?? (status >= 500 ? 'The request failed. The fault has been logged.' : 'The request was refused.')
  return { errors: [{ message, extensions: { code } }] }
}
