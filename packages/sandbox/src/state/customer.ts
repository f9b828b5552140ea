import type { FullTarget } from '../values/request-fields.ts'
import type { Timer } from './clock.ts'

/** A person or an organisation under the payments API's own names (gap sheet, sections 22 and 23). */
export type PersonRecord = Readonly<Record<string, string>>

/** An identity document under the payments API's own names. */
export type DocumentRecord = Readonly<Record<string, string>>

export type SandboxCustomer = {
  readonly uuid: string
  readonly siteId: string
  readonly createdAt: Date
  person: PersonRecord
  identity: DocumentRecord
}

export type SandboxContact = {
  readonly siteId: string
  readonly email: string
  readonly createdAt: Date
  readonly person: PersonRecord
  /** The document that was handed in last. */
  identity: DocumentRecord | null
  /** The results of checks, oldest first. */
  readonly results: { readonly kyc_status: string; readonly message: string }[]
  target: FullTarget | undefined
  step: Timer | undefined
}
