import { tidied } from '../../lib/text.ts'
import { normaliseName, emailProblem, present, problem, type Problem, TEXT, textProblem } from '../field-problems.ts'
import { countryProblem, expiryProblem, type DocumentType } from './person.ts'

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
    email: tidied(request.email),
    documentNumber: tidied(request.documentNumber),
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
