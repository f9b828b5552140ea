/** The reason why a token was rejected: `expired` is remedied by a new token, `invalid` is not explained further. */
export type TokenRefusal = 'expired' | 'invalid'

const REFUSALS: Readonly<Record<TokenRefusal, string>> = {
  expired: 'The token has expired.',
  invalid: 'The token is not valid.',
}

/** The token is rejected. The message contains no part of the token. */
export class InvalidTokenError extends Error {
  override readonly name = 'InvalidTokenError'
  readonly code = 'INVALID_TOKEN'
  readonly safeMessage = true
  readonly reason: TokenRefusal

  constructor(reason: TokenRefusal) {
    super(REFUSALS[reason])
    this.reason = reason
  }
}

/** The issuer's keys are unavailable, so the token cannot be verified now. The client should retry. */
export class TokenKeysUnavailableError extends Error {
  override readonly name = 'TokenKeysUnavailableError'
  readonly code = 'TOKEN_KEYS_UNAVAILABLE'
  readonly safeMessage = true

  constructor() {
    super('Tokens cannot be checked at the moment.')
  }
}
