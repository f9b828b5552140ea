import { randomUUID } from 'node:crypto'
import { keyProblem, present } from '../domain/field-problems.ts'
import { MOST_NOTES, noteProblem } from '../domain/payments/payment-note.ts'
import { fingerprint, type KeyRing, sameFingerprint } from '../keys/key-ring.ts'
import type { Store } from '../ledger/store.ts'
import { trimmed } from '../lib/text.ts'
import type { InvalidInput } from '../lookups/operation-outcome.ts'
import type { KeyHolder } from './idempotency/idempotent-command.ts'

type NoteOptions = {
  readonly store: {
    readonly payments: Pick<Store['payments'], 'byIds'>
    readonly notes: Pick<Store['notes'], 'write' | 'delete'>
  }
  readonly keys: KeyRing
  readonly clock: () => Date
}

type NoteRequest = { readonly idempotencyKey: string; readonly paymentId: string; readonly text: string }

type NoteOutcome =
  | { readonly kind: 'done'; readonly paymentId: string; readonly replayed: boolean }
  | InvalidInput
  | { readonly kind: 'idempotency-conflict'; readonly inProgress: false }
  | { readonly kind: 'not-found' }

const MUTATION = 'createPaymentNote'

/** Records an operator's note on a payment. Nothing is sent to the payments API, so its command is settled at once. */
export async function createPaymentNote(
  { store, keys, clock }: NoteOptions,
  request: NoteRequest,
  { keyScope, requestedBy }: KeyHolder,
): Promise<NoteOutcome> {
  const { paymentId, idempotencyKey: key } = request
  const text = trimmed(request.text)
  const problems = present([keyProblem(key), noteProblem(text)])
  if (problems.length > 0) return { kind: 'invalid-input', problems }
  if ((await store.payments.byIds([paymentId])).length === 0) return { kind: 'not-found' }
  const [id, at] = [randomUUID(), clock()]
  const outcome = await store.notes.write(
    {
      id,
      mutation: MUTATION,
      key,
      keyScope,
      requestedBy,
      fingerprint: fingerprint(keys, request),
      state: 'SETTLED',
      attempt: 1,
      ref: id,
      owner: '',
      leaseUntil: at.getTime(),
      sentAt: at.getTime(),
      subjectId: null,
      subjectDeliveries: null,
      subjectVersion: null,
      result: { paymentId },
    },
    { id, paymentId, text, author: requestedBy, authorScope: keyScope, writtenAt: at.toISOString() },
  )
  if (outcome.kind === 'written') return { kind: 'done', paymentId, replayed: false }
  if (outcome.kind === 'earlier')
    return sameFingerprint(keys, request, outcome.command.fingerprint)
      ? { kind: 'done', paymentId, replayed: true }
      : { kind: 'idempotency-conflict', inProgress: false }
  const message =
    outcome.kind === 'erased' ? 'its payer is erased' : `it has ${MOST_NOTES} notes, the most of a payment`
  return { kind: 'invalid-input', problems: [{ path: ['paymentId'], message }] }
}

/** Deletes a note of the caller's own. May be repeated: then it is not found. */
export async function deletePaymentNote(
  { store }: Pick<NoteOptions, 'store'>,
  noteId: string,
  { keyScope }: KeyHolder,
): Promise<{ readonly kind: 'done'; readonly paymentId: string } | { readonly kind: 'not-found' }> {
  const paymentId = await store.notes.delete(noteId, keyScope)
  return paymentId === null ? { kind: 'not-found' } : { kind: 'done', paymentId }
}
