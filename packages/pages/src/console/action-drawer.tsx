import { useClient } from '@urql/preact'
import { useState } from 'preact/hooks'
import type { ActionName } from './actions/actions.tsx'
import { IN_AUD, TERMS, wordOptions } from './agreements/terms.ts'
import { NewContact } from './contacts/contact-drawers.tsx'
import {
  CreateAgreementDocument,
  CreateLinkDocument,
  CreatePayoutDocument,
  CreatePayoutFromFileDocument,
  DepositDocument,
  LookUpBankDocument,
  type LookUpBankQuery,
  PayoutChoicesDocument,
  PayoutFieldsDocument,
} from './generated/graphql.ts'
import { LinkShare } from './links/link-share.tsx'
import { AnswerFailure, documentOf, FailureNotice, RequestFailure, useAnswer, useSingle } from './pieces/answers.tsx'
import { CommandDrawer, type Field } from './pieces/command-drawer.tsx'
import { Dialog } from './pieces/dialog.tsx'
import { textIn } from './pieces/form-text.ts'
import { Fact, Facts, Waiting } from './pieces/page.tsx'
import { Id } from './pieces/values.tsx'
import { hrefOf } from './routes/route.ts'

type Props = { readonly onClose: () => void }

/** The drawer of an action. */
export function ActionDrawer({ name, onClose }: Props & { readonly name: ActionName }) {
  switch (name) {
    case 'link':
      return <NewLink onClose={onClose} />
    case 'agreement':
      return <NewAgreement onClose={onClose} />
    case 'payout':
      return <NewPayout onClose={onClose} />
    case 'payout-file':
      return <NewPayout isFile onClose={onClose} />
    case 'contact':
      return <NewContact onClose={onClose} />
    case 'bank':
      return <BankLookup onClose={onClose} />
    default:
      return <Deposit onClose={onClose} />
  }
}

const AMOUNT: readonly Field[] = [
  { name: 'amount.value', label: 'Amount', type: 'decimal' },
  { name: 'amount.currency', label: 'Currency', hint: 'For example AUD.' },
]
const SITE: Field = { name: 'site', label: 'Site', isOptional: true, hint: 'Where several serve the currency.' }
/** Seconds for which a link is open. */
const HALF_AN_HOUR = '1800'
const OPEN_FOR = [
  ['900', '15 minutes'],
  [HALF_AN_HOUR, '30 minutes'],
  ['7200', '2 hours'],
  ['86400', '1 day'],
] as const

function NewLink({ onClose }: Props) {
  return (
    <CommandDrawer
      title="New link"
      document={CreateLinkDocument}
      fields={[
        ...AMOUNT,
        { name: 'reference', label: 'Reference', hint: 'Your own, such as an order id.' },
        { name: 'description', label: 'Description', hint: 'Shown to the customer.' },
        { name: 'customer.email', label: 'E-mail of the customer', type: 'email' },
        { name: 'customer.firstName', label: 'Given name' },
        { name: 'customer.lastName', label: 'Family name' },
        { name: 'methodCode', label: 'Method', isOptional: true, hint: 'Its code; else the customer chooses.' },
        { name: 'expiresInSeconds', label: 'Open for', type: 'number', options: OPEN_FOR, value: HALF_AN_HOUR },
        SITE,
      ]}
      button={() => 'Create the link'}
      resultOf={(data) => data.createPaymentLink}
      onClose={onClose}
    >
      {({ link }) => <LinkShare link={link} />}
    </CommandDrawer>
  )
}

function NewAgreement({ onClose }: Props) {
  return (
    <CommandDrawer
      title="New agreement"
      document={CreateAgreementDocument}
      isKeyless
      fields={[
        { name: 'clientTransactionId', label: 'Reference', hint: 'Yours; unique among your agreements.' },
        ...TERMS(null),
        { name: 'purpose', label: 'Purpose', options: wordOptions('purpose') },
        { name: 'description', label: 'Description', hint: '5 to 140 characters.' },
        { name: 'payer.name', label: 'Name of the payer' },
        { name: 'payer.bankAccount.bsb', label: 'BSB', isOptional: true, hint: 'An account, a PayID, or both.' },
        { name: 'payer.bankAccount.accountNumber', label: 'Account number', isOptional: true },
        { name: 'payer.payId.type', label: 'Kind of PayID', options: wordOptions('payId'), isOptional: true },
        { name: 'payer.payId.value', label: 'PayID', isOptional: true },
        SITE,
      ]}
      given={IN_AUD}
      button={() => 'Create the agreement'}
      resultOf={(data) => data.createPaymentAgreement}
      onClose={onClose}
    >
      {({ agreement }) => (
        <p class="note-block here">
          The agreement{' '}
          <a href={hrefOf('agreements', agreement.id)} onClick={onClose}>
            {agreement.clientTransactionId}
          </a>{' '}
          was created. The payer now confirms it with their bank.
        </p>
      )}
    </CommandDrawer>
  )
}

/** Pays one payee, or those of a file. The method, chosen first, decides the currency and the details of the payee. */
function NewPayout({ isFile = false, onClose }: Props & { readonly isFile?: boolean }) {
  const title = isFile ? 'Pay out by file' : 'New payout'
  const [code, setCode] = useState('')
  const choices = useAnswer(PayoutChoicesDocument, {}, { everyMs: CHOICES_MS })
  const chosen = useAnswer(PayoutFieldsDocument, { code }, { pause: code === '', everyMs: CHOICES_MS })
  const methods = choices.data?.payoutMethods?.nodes ?? []
  const method = chosen.data?.payoutMethod ?? null
  const currency = method?.currency ?? ''
  const choice = (
    <>
      <AnswerFailure of={choices} />
      <div class="field">
        <label for="payout-method">Method</label>
        <select id="payout-method" class="select" value={code} onChange={(event) => setCode(event.currentTarget.value)}>
          <option value="">Choose one</option>
          {methods.map((one) => (
            <option key={one.code} value={one.code}>
              {one.currency}: {one.name}
            </option>
          ))}
        </select>
      </div>
    </>
  )
  if (code === '' || method?.code !== code)
    return (
      <Dialog title={title} isDrawer onClose={onClose}>
        {choice}
        <AnswerFailure of={chosen} />
        {code !== '' && <Waiting of={chosen} what="details of the method" />}
      </Dialog>
    )
  const batch: Field[] = [
    { name: 'description', label: 'Description', hint: '5 to 90 characters.' },
    { name: 'reference', label: 'Reference', isOptional: true },
    { name: 'scheduledAt', label: 'When', type: 'datetime-local', isOptional: true, hint: 'At once when empty.' },
    SITE,
  ]
  const banks = method.banks?.map(({ code: bank, name }) => [bank, `${name} (${bank})`] as const)
  const payee: Field[] = [
    { name: 'transactions.0.amount', label: `Amount in ${currency}`, type: 'decimal' },
    { name: 'transactions.0.firstName', label: 'Given name of the payee' },
    { name: 'transactions.0.lastName', label: 'Family name' },
    { name: 'transactions.0.email', label: 'E-mail', type: 'email' },
    ...(method.requiredFields ?? []).map(({ name, label, required }) => {
      const field = { name: `transactions.0.methodFields.${name}`, label: label ?? name, isOptional: !required }
      const isBank = name.includes('bank_code') && banks !== undefined && banks.length > 0
      return isBank ? Object.assign(field, { options: banks }) : field
    }),
  ]
  const done = ({ payout }: { readonly payout: { readonly id: string; readonly reference: string | null } }) => (
    <p class="note-block here">
      The payout{' '}
      <a href={hrefOf('payouts', payout.id)} onClick={onClose}>
        {payout.reference ?? payout.id}
      </a>{' '}
      was created.
    </p>
  )
  const shared = { title, given: { currency, methodCode: code }, about: choice, onClose, key: code }
  const columns = (method.requiredFields ?? []).map(({ name }) => name)
  return isFile ? (
    <CommandDrawer
      {...shared}
      document={CreatePayoutFromFileDocument}
      fields={[
        {
          name: 'file',
          label: 'CSV file',
          type: 'file',
          hint: `A header, and a line per payee: ${['payee', 'email', 'amount', ...columns].join(', ')}.`,
        },
        ...batch,
      ]}
      warning={`All payees of the file are paid in ${currency}. A wrong line stops the whole file.`}
      button={() => 'Pay out the file'}
      resultOf={(data) => data.createPayoutFromFile}
    >
      {(result) => done(result)}
    </CommandDrawer>
  ) : (
    <CommandDrawer
      {...shared}
      document={CreatePayoutDocument}
      fields={[...payee, ...batch]}
      warning="Check the payee: a payout cannot be taken back."
      button={(values) => `Pay out ${values['transactions.0.amount']} ${currency}`}
      resultOf={(data) => data.createPayout}
    >
      {(result) => done(result)}
    </CommandDrawer>
  )
}

/** Milliseconds between two reads of the methods, which change seldom. */
const CHOICES_MS = 60_000

type Found = LookUpBankQuery['bankLookup']

/** Finds whose account a VietQR code pays. */
function BankLookup({ onClose }: Props) {
  const client = useClient()
  const [answer, setAnswer] = useState<Awaited<ReturnType<typeof ask>> | null>(null)
  const ask = (qrContent: string) => client.query(documentOf(LookUpBankDocument), { qrContent }).toPromise()
  const [isBusy, lookUp] = useSingle(async (text: string) => setAnswer(await ask(text)))
  const found: Found = answer?.data?.bankLookup ?? null
  return (
    <Dialog title="Look up a bank account" isDrawer isBusy={isBusy} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          lookUp(textIn(event.currentTarget, 'content'))
        }}
      >
        <label class="field">
          <span class="label">Content of the VietQR code</span>
          <input
            class="input"
            name="content"
            required
            autocomplete="off"
            spellcheck={false}
            aria-invalid={found !== null && 'code' in found && found.code === 'INVALID_QR'}
          />
        </label>
        <div class="actions">
          <button class="button primary" aria-busy={isBusy} disabled={isBusy}>
            Look up the account
          </button>
        </div>
      </form>
      <RequestFailure error={answer?.error} />
      <div role="status">
        {found?.__typename === 'PaymentBankLookup' && (
          <Facts>
            <Fact name="Holder">{found.accountName}</Fact>
            <Fact name="Account">
              <Id of={found.accountNumber} what="account number" />
            </Fact>
            <Fact name="Bank">
              {found.bankName} <code class="faint">{found.swiftCode}</code>
            </Fact>
          </Facts>
        )}
      </div>
      {found !== null && 'code' in found && <FailureNotice failure={found} />}
    </Dialog>
  )
}

function Deposit({ onClose }: Props) {
  return (
    <CommandDrawer
      title="Simulate a deposit"
      document={DepositDocument}
      isKeyless
      fields={[
        { name: 'accountNumber', label: 'Account number' },
        ...AMOUNT,
        { name: 'remitterName', label: 'Sender', isOptional: true },
        { name: 'remarks', label: 'Remarks', isOptional: true },
        SITE,
      ]}
      button={() => 'Simulate the deposit'}
      resultOf={(data) => data.simulateDeposit}
      onClose={onClose}
    >
      {() => <p class="note-block here">The sandbox credits the account.</p>}
    </CommandDrawer>
  )
}
