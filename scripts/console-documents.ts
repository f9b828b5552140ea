/**
 * Prints the operations of the console as a manifest for `TRUSTED_DOCUMENTS`, in Relay's form (hash to text): each text as
 * the console sends it, including the subscriptions of the client kit that the console uses.
 */
import { createHash } from 'node:crypto'
import { createRequest, stringifyDocument } from '@urql/core'
import { PaymentEventStreamDocument, PaymentUpdatesDocument } from '../packages/client/src/generated/documents.ts'
import * as generated from '../packages/pages/src/console/generated/graphql.ts'

const own = Object.values(generated)
  .filter((value) => value instanceof generated.TypedDocumentString)
  .map((document) => [document.toString(), stringifyDocument(createRequest(document.toString(), {}).query)] as const)
  .filter(([, printed]) => /^(?:query|mutation) /m.test(printed))
  // The client kit, by which the feed asks, sends a text as it is; urql prints it anew.
  .flat()
const streams = [PaymentEventStreamDocument, PaymentUpdatesDocument].map(({ text }) => text)

const manifest = [...own, ...streams].map((text) => [createHash('sha256').update(text).digest('hex'), text] as const)
console.log(JSON.stringify(Object.fromEntries(manifest), null, 2))
