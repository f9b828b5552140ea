import { callbackAuthorization, type CallbackKind } from '../../keys/callback-secret.ts'
import type { KeyRing } from '../../keys/key-ring.ts'
import type { Notification } from '../../upstream/wire/values/request-schema.ts'
import type { AddressSearches } from './find-by-address.ts'

export type CallbackOptions = {
  readonly keys: KeyRing
  /** Public base URL at which the payments API reaches us, without a trailing slash. */
  readonly publicUrl: () => string
}

/** What a search by webhook URL needs. */
export type TraceOptions = CallbackOptions & { readonly searches: AddressSearches }

/**
 * Returns the webhook URL and secret of one attempt of a command. The last segment of the URL is the attempt's correlation id,
 * which is made before the call, and the secret is derived from it: a webhook finds its command even if the call gets no answer.
 */
export function callbackAddress({ keys, publicUrl }: CallbackOptions, kind: CallbackKind, ref: string): Notification {
  return {
    endpointUrl: callbackUrl(publicUrl(), kind, ref),
    authorizationHeader: callbackAuthorization(keys, kind, ref),
  }
}

/** Returns the webhook URL alone, by which our objects are found in lists of the payments API. */
export function callbackUrl(publicUrl: string, kind: CallbackKind, ref: string): string {
  return `${publicUrl}/webhooks/${kind}s/${ref}`
}
