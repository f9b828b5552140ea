import { z } from 'zod'
import { sendable, shaped } from '../client/assertions.ts'
import type { Site } from '../client/sites.ts'
import type { Transport } from '../client/transport.ts'
import {
  multipartOf,
  toIdentityCheckFields,
  type WireIdentityCheck,
  type WirePicture,
} from '../wire/customers/wire-identity-check.ts'
import { status as statusField } from '../wire/values/wire-fields.ts'

export type IdentityCalls = {
  /**
   * Hands in the documents of a contact, and passes their pictures on as they come (gap sheet, section 23). Returns the status word of the
   * answer, e.g. `Ok`. Sent at most once. Rejects with an `UpstreamFault`; if the pictures end with an error, with that error, and then
   * nothing was handed in: the body lacks its end.
   */
  submitIdentityCheck(
    site: Site,
    request: WireIdentityCheck & { readonly pictures: AsyncIterable<WirePicture> },
  ): Promise<{ readonly statusRaw: string }>
}

const submitted = z.object({ status: statusField })

/** Creates the call for identity checks. */
export function identityCalls(transport: Transport): IdentityCalls {
  return {
    submitIdentityCheck: async (site, { pictures, ...request }) => {
      const body = multipartOf(sendable(toIdentityCheckFields(request)), pictures)
      const { status, json } = await transport.upload(site, { path: '/v2/contacts/submit_kyc', body })
      const read = submitted.safeParse(json)
      return { statusRaw: shaped(read.data?.status ?? null, status) }
    },
  }
}
