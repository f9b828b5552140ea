import { useState } from 'preact/hooks'
import { CheckIdentityDocument, CreateContactDocument } from '../generated/graphql.ts'
import { FailureNotice, useSingle } from '../pieces/answers.tsx'
import { CommandDrawer, type Field } from '../pieces/command-drawer.tsx'
import { wordsOf } from '../pieces/values.tsx'

const options = (...values: readonly string[]) => values.map((value) => [value, wordsOf(value)] as const)
const CURRENCY: Field = { name: 'currency', label: 'Currency', hint: 'One that the site serves, for example AUD.' }
const COUNTRY = 'Two letters, for example AU.'

const PERSON: readonly Field[] = [
  { name: 'person.email', label: 'E-mail', type: 'email' },
  { name: 'person.firstName', label: 'Given name' },
  { name: 'person.lastName', label: 'Family name' },
  { name: 'person.type', label: 'Kind', options: options('INDIVIDUAL', 'ORGANIZATION'), value: 'INDIVIDUAL' },
  { name: 'person.registrationNumber', label: 'Registration number', isOptional: true, hint: 'Of an organization.' },
  { name: 'person.dateOfBirth', label: 'Date of birth', type: 'date', hint: 'Of an organization: of its foundation.' },
  { name: 'person.gender', label: 'Gender', options: options('FEMALE', 'MALE') },
  { name: 'person.phone', label: 'Telephone', hint: '+ and 5 to 15 digits.' },
  { name: 'person.street', label: 'Street and number' },
  { name: 'person.city', label: 'City' },
  { name: 'person.postalCode', label: 'Postal code' },
  { name: 'person.state', label: 'State or province' },
  { name: 'person.countryCode', label: 'Country', hint: COUNTRY },
]

type Props = { readonly onClose: () => void }

/** Creates a contact. */
export function NewContact({ onClose }: Props) {
  return (
    <CommandDrawer
      title="New contact"
      document={CreateContactDocument}
      fields={[CURRENCY, ...PERSON]}
      button={() => 'Create the contact'}
      resultOf={(data) => data.createPaymentContact}
      onClose={onClose}
    >
      {() => <p class="note-block here">The contact was created.</p>}
    </CommandDrawer>
  )
}

/** Checks the identity of a contact: first what is printed in the document, then its pictures. */
export function IdentityCheck({ email, site, onClose }: Props & { readonly email: string; readonly site: string }) {
  return (
    <CommandDrawer
      title="Check the identity"
      document={CheckIdentityDocument}
      isKeyless
      fields={[
        CURRENCY,
        { name: 'documentType', label: 'Document', options: options('PASSPORT', 'ID_CARD', 'DRIVING_LICENSE') },
        { name: 'documentNumber', label: 'Number of the document' },
        { name: 'nameInDocument', label: 'Name as printed' },
        { name: 'issuedOn', label: 'Issued on', type: 'date', isOptional: true },
        { name: 'expiresOn', label: 'Valid until', type: 'date' },
        { name: 'issueCountry', label: 'Issued by', hint: COUNTRY },
        { name: 'nationality', label: 'Nationality', hint: COUNTRY },
      ]}
      given={{ email, site }}
      button={() => 'Continue with the pictures'}
      resultOf={(data) => data.requestIdentityCheck}
      onClose={onClose}
    >
      {({ uploadUrl }) => <Pictures uploadUrl={uploadUrl} />}
    </CommandDrawer>
  )
}

const PICTURES = [
  ['selfie', 'Face', 'image/jpeg'],
  ['front', 'Front of the document', 'image/jpeg,image/png'],
  ['back', 'Back of the document', 'image/jpeg,image/png'],
] as const

type Refusal = { readonly error: { readonly code: string; readonly message: string } }
const UNKNOWN = {
  code: 'OUTCOME_UNKNOWN',
  message: 'There was no answer. See the identity of the contact before a retry.',
}

function Pictures({ uploadUrl }: { readonly uploadUrl: string }) {
  const [failure, setFailure] = useState<Refusal['error'] | null>(null)
  const [isDone, setDone] = useState(false)
  const [isBusy, upload] = useSingle(async (body: FormData) => {
    // The console is served by the same process, whatever address it is known by elsewhere.
    const { pathname, search } = new URL(uploadUrl)
    const answer = await fetch(pathname + search, { method: 'POST', body }).catch(() => null)
    setDone(answer?.ok === true)
    if (answer?.ok !== true) setFailure(((await answer?.json().catch(() => null)) as Refusal | null)?.error ?? UNKNOWN)
  })
  if (isDone) return <p class="note-block here">The pictures were handed in. The check takes some minutes.</p>
  return (
    <form
      class="stack-3"
      onSubmit={(event) => {
        event.preventDefault()
        upload(new FormData(event.currentTarget))
      }}
    >
      {PICTURES.map(([name, label, accept]) => (
        <label key={name} class="field">
          <span class="label">{label}</span>
          <input class="input" type="file" name={name} accept={accept} required />
        </label>
      ))}
      {failure !== null && <FailureNotice failure={{ ...failure, retryable: false }} />}
      <button class="button primary" aria-busy={isBusy} disabled={isBusy}>
        Hand in the pictures
      </button>
    </form>
  )
}
