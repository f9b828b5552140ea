import { stringifyExactJson } from '../../lib/exact-json.ts'
import type { SandboxStore } from '../state/sandbox-store.ts'
import { signatureOf } from '../webhooks/webhook-composer.ts'
import type { SandboxContact } from './sandbox-customer.ts'

/** A document whose number begins so is refused. */
const REFUSED_DOCUMENT = 'REFUSE'

/** Begins a check of handed-in documents: pending at once, and decided one step of the sandbox clock later. */
export function beginCheck(store: SandboxStore, contact: SandboxContact): void {
  contact.step?.cancel()
  void addResult(store, contact, { kyc_status: 'pending', message: 'null' })
  contact.step = store.clock.after(store.paceMs, () => decide(store, contact))
}

/** Plans the decision again that was planned before a restart. */
export function resumeCheck(store: SandboxStore, contact: SandboxContact, at: Date): void {
  contact.step = store.clock.schedule(at, () => decide(store, contact))
}

/** The record of a contact in responses and callbacks (gap sheet, section 23). */
export function contactRecord({ person, identity, results }: SandboxContact): object {
  return { ...person, identity, kyc_statuses: results }
}

function decide(store: SandboxStore, contact: SandboxContact): Promise<void> {
  contact.step = undefined
  // The result takes the place of the pending one.
  contact.results.pop()
  const isRefused = contact.identity?.['document_number']?.startsWith(REFUSED_DOCUMENT) === true
  return addResult(
    store,
    contact,
    isRefused
      ? { kyc_status: 'rejected', message: 'The document cannot be read.' }
      : { kyc_status: 'approved', message: 'null' },
  )
}

async function addResult(
  store: SandboxStore,
  contact: SandboxContact,
  result: SandboxContact['results'][number],
): Promise<void> {
  contact.results.push(result)
  const { target } = contact
  if (target === undefined) return
  const body = stringifyExactJson(contactRecord(contact))
  await store.sender.send({
    subject: `contact ${store.sites.findIndex(({ id }) => id === contact.siteId)}`,
    kind: 'transition',
    status: result.kyc_status,
    url: target.endpointUrl,
    authorization: target.authorizationHeader,
    body,
    signature: signatureOf(store, body),
  })
}
