import { callbackAuthorization, type CallbackKind } from '../../keys/callback-secret.ts'
import type { KeyRing } from '../../keys/key-ring.ts'
import type { Notification } from '../../upstream/wire/values/request-schema.ts'
import type { AddressSearches } from './find-by-address.ts'

export type CallbackOptions = {
  readonly keys: KeyRing
  /** Where the payments API reaches us, without a slash at the end. */
  readonly publicUrl: () => string
}

/** What finds by its callback address something whose creation was not answered. */
export type TraceOptions = CallbackOptions & { readonly searches: AddressSearches }

/**
 * The webhook address of one command's attempt. Its last segment is the attempt's correlation id, made before the payments API is
 * asked, and its secret is derived from it: a webhook finds its command even if the payments API's answer never comes.
 */
export function callbackAddress({ keys, publicUrl }: CallbackOptions, kind: CallbackKind, ref: string): Notification {
  return {
    endpointUrl: callbackUrl(publicUrl(), kind, ref),
    authorizationHeader: callbackAuthorization(keys, kind, ref),
  }
}

/** The address alone: the trace by which something of ours is found among what the payments API lists. */
export function callbackUrl(publicUrl: string, kind: CallbackKind, ref: string): string {
  return `${publicUrl}/webhooks/${kind}s/${ref}`
}
