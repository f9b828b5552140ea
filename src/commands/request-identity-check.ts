import { randomUUID } from 'node:crypto'
import {
  identityCheckProblems,
  type IdentityCheckRequest,
  normaliseIdentityCheck,
} from '../domain/customers/identity-check.ts'
import { unseal, seal } from '../keys/derived-secrets.ts'
import { findContact, type SitedContact } from '../lookups/find-customers.ts'
import { type CommandFailure, type InvalidInput, type ReadFailure, siteProblem } from '../lookups/operation-outcome.ts'
import type { Site } from '../upstream/client/sites.ts'
import type { WirePicture } from '../upstream/wire/wire-identity-check.ts'
import type { IdempotentCommands } from './idempotency/idempotent-command.ts'
import { callbackAddress } from './idempotency/task.ts'
import type { OperationsOptions } from './parts.ts'

export type UploadRequest = IdentityCheckRequest & {
  readonly currency: string
  readonly site?: string | null | undefined
}

export type UploadOutcome =
  | {
      readonly kind: 'done'
      readonly contact: SitedContact
      readonly uploadUrl: string
      readonly expiresAt: Date
    }
  | InvalidInput
  | ReadFailure

/** Path at which pictures are uploaded. */
export const UPLOAD_PATH = '/identity-documents'

/** How long an upload may begin after it was asked for, in milliseconds: pictures have to be taken. */
const UPLOAD_MS = 30 * 60_000

/** What an upload is about. It is in the URL of the upload alone, sealed, and is stored nowhere. */
type Grant = {
  readonly id: string
  readonly site: string
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
  readonly check: IdentityCheckRequest
}

/**
 * Returns the URL at which the pictures of a contact's identity document can be uploaded, once, within half an hour. The contact must exist.
 * Nothing is sent or stored until then. Source: gap sheet, section 23.
 */
export async function requestIdentityUpload(
  { upstream, sites, keys, publicUrl, clock }: OperationsOptions,
  { currency, site: named, ...asked }: UploadRequest,
): Promise<UploadOutcome> {
  const check = normaliseIdentityCheck(asked)
  const wanted = { amount: { currency }, site: named }
  const site = sites.forCurrency(currency, named ?? null)
  if (site === null) return { kind: 'invalid-input', problems: [siteProblem(sites, wanted, ['currency'])] }
  const now = clock()
  const problems = identityCheckProblems(check, now.toISOString().slice(0, 'YYYY-MM-DD'.length))
  if (problems.length > 0) return { kind: 'invalid-input', problems }
  const contact = await findContact({ upstream }, site, check.email)
  if (contact.kind !== 'done') return contact
  const expiresAt = new Date(now.getTime() + UPLOAD_MS)
  const grant: Grant = { id: randomUUID(), site: site.id, expiresAt: expiresAt.getTime(), check }
  const uploadUrl = `${publicUrl()}${UPLOAD_PATH}?grant=${seal(keys, 'upload grant', grant)}`
  return { kind: 'done', contact: contact.found, uploadUrl, expiresAt }
}

/** An upload that may begin. */
export type OpenedUpload = { readonly grant: Grant; readonly site: Site }

/** Returns the upload that a URL stands for, or why it may not begin. */
export function openUpload(
  { keys, sites, clock }: OperationsOptions,
  text: string,
): OpenedUpload | 'unknown' | 'expired' {
  const grant = unseal(keys, 'upload grant', text) as Grant | null
  const site = grant === null ? null : sites.byId(grant.site)
  if (grant === null || site === null) return 'unknown'
  return grant.expiresAt > clock().getTime() ? { grant, site } : 'expired'
}

export type SubmitOutcome = { readonly kind: 'done'; readonly isFirst: boolean } | CommandFailure

/**
 * Hands in the documents of an opened upload, and passes its pictures on as they come. It is recorded like a command whose key is the id of the
 * upload: so it is carried out once, also over several nodes, and may be repeated only if nothing was handed in.
 */
export async function submitIdentityCheck(
  options: OperationsOptions & { readonly once: IdempotentCommands },
  { grant, site }: OpenedUpload,
  pictures: AsyncIterable<WirePicture>,
): Promise<SubmitOutcome> {
  const { store, upstream, once } = options
  const outcome = await once.run<{ readonly statusRaw: string }, true>({
    mutation: 'submitIdentityCheck',
    key: grant.id,
    input: grant,
    site: site.id,
    refKind: 'identity-check',
    repeatAfterMs: null,
    send: (ref) =>
      upstream.submitIdentityCheck(site, {
        ...grant.check,
        webhook: callbackAddress(options, 'identity-check', ref),
        pictures,
      }),
    settle: async (command) => {
      await store.commands.settle(command.id, {})
      return true
    },
    replay: async () => true,
    findOutcome: async () => null,
  })
  if (outcome.kind !== 'done') return outcome
  return { kind: 'done', isFirst: !outcome.replayed }
}

/** The owner of the records of uploads: whoever has the URL. */
export const UPLOADER = { keyScope: 'identity upload', requestedBy: null } as const
