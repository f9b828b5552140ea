import { normaliseName, emailProblem, present, problem, type Problem, TEXT, textProblem } from '../field-problems.ts'
import {
  countryProblem,
  expiryProblem,
  type DocumentType,
  type Contact,
  identityStatus,
  type IdentityStatus,
} from './person.ts'

/** What is said of an identity document, besides its pictures (gap sheet, section 23). */
export type IdentityCheckRequest = {
  readonly email: string
  readonly documentType: DocumentType
  readonly documentNumber: string
  /** The name as it stands in the document. */
  readonly nameInDocument: string
  readonly issuedOn?: string | null | undefined
  readonly expiresOn: string
  readonly issueCountry: string
  readonly nationality: string
}

/** The pictures that an identity check needs, in the names of our upload. */
export const PICTURES = ['selfie', 'front', 'back'] as const

export type PictureName = (typeof PICTURES)[number]

export type PictureType = 'image/jpeg' | 'image/png'

/** A picture is at most so large, in bytes. The payments API documents no limit: this is what telephones take, with room to spare. */
export const MOST_PICTURE_BYTES = 6 * 1024 * 1024

/** Returns whether a picture may be of this type: the selfie is a JPEG, the sides of the document a JPEG or a PNG. */
export function mayBeOfType(name: PictureName, type: PictureType): boolean {
  return type === 'image/jpeg' || name !== 'selfie'
}

const DOCUMENT_NUMBER = { longest: 64 }

/** Returns the request in the form in which it is checked and sent: without spaces around its texts. */
export function normaliseIdentityCheck(request: IdentityCheckRequest): IdentityCheckRequest {
  return {
    ...request,
    email: request.email.trim(),
    documentNumber: request.documentNumber.trim(),
    nameInDocument: normaliseName(request.nameInDocument),
  }
}

/** Returns the problems of an identity check, by field. `today` is the current day in UTC. */
export function identityCheckProblems(request: IdentityCheckRequest, today: string): Problem[] {
  const { issuedOn = null, expiresOn } = request
  return present([
    problem(emailProblem(request.email), ['email']),
    textProblem(request.documentNumber, DOCUMENT_NUMBER, ['documentNumber']),
    textProblem(request.nameInDocument, TEXT, ['nameInDocument']),
    issuedOn !== null && issuedOn > today ? problem('must not lie in the future', ['issuedOn']) : null,
    expiryProblem(issuedOn, expiresOn, today, ['expiresOn']),
    countryProblem(request.issueCountry, ['issueCountry']),
    countryProblem(request.nationality, ['nationality']),
  ])
}

const JPEG = Buffer.from([0xff, 0xd8, 0xff])
const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** Bytes of a file that show its type. */
export const MAGIC_BYTES = PNG.length

/** Returns the type of a picture by its first bytes; null for anything else. */
export function pictureTypeOf(start: Uint8Array): PictureType | null {
  const begins = (magic: Buffer) => magic.every((byte, index) => start[index] === byte)
  if (begins(JPEG)) return 'image/jpeg'
  return begins(PNG) ? 'image/png' : null
}

/** What is told of a followed identity check. Nothing in it identifies the contact. */
export type IdentityState = {
  readonly status: IdentityStatus
  /** Number of results of identity checks: it rises where one result follows another of the same status. */
  readonly results: number
  /** Rises with each change, while it is followed. */
  readonly version: number
  /** When the payments API was read last, in milliseconds since the epoch. */
  readonly readAt: number
}

/** Milliseconds from a change to the next read. */
export const FIRST_INTERVAL_MS = 5_000
/** Longest time between two reads in milliseconds: a check that a person makes takes hours. */
export const LONGEST_INTERVAL_MS = 60_000

/** Returns the part of a contact that is told. */
export function identityOf(contact: Pick<Contact, 'identity'>): Pick<IdentityState, 'status' | 'results'> {
  return { status: identityStatus(contact), results: contact.identity.length }
}

/** Returns the time to the read after one that showed no change, or a change. */
export function nextInterval(intervalMs: number, isChanged: boolean): number {
  return isChanged ? FIRST_INTERVAL_MS : Math.min(2 * intervalMs, LONGEST_INTERVAL_MS)
}

/** Returns whether no further change is expected: a refused identity may be handed in again, an approved one is not (gap sheet, section 23). */
export function isSettledIdentity({ status }: Pick<IdentityState, 'status'>): boolean {
  return status === 'approved'
}
