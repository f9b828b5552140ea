import { useState } from 'preact/hooks'
import { Select, TextField } from '../parts/fields.tsx'
import { Code, Dialog } from '../parts/small.tsx'
import { create, type Facts, type NewThing } from '../state/endpoints.ts'
import { usePage } from '../state/page-context.ts'

/** A field of a form, with what it begins with, in which a number of its own takes the place of `#`. */
type FieldOf = {
  readonly name: string
  readonly label: string
  readonly first: string
  readonly inputMode?: 'decimal' | 'email' | 'url'
  readonly offers?: (facts: Facts) => readonly string[]
}

type Values = Readonly<Record<string, string>>

type Kind = {
  readonly title: string
  readonly path: string
  /** A currency whose site supports it. */
  readonly currency: string
  readonly fields: readonly FieldOf[]
  readonly body: (values: Values, currency: string) => Readonly<Record<string, unknown>>
}

const AMOUNT: FieldOf = {
  name: 'amount',
  label: 'Amount',
  first: '125.50',
  inputMode: 'decimal',
  offers: ({ magic }) => magic.failures.map(({ amount }) => amount).concat(magic.threeDs.amount),
}
const DESCRIPTION: FieldOf = { name: 'description', label: 'Description', first: 'Two tickets' }
const FIRST_NAME: FieldOf = { name: 'firstName', label: 'First name', first: 'Ada' }
const LAST_NAME: FieldOf = {
  name: 'lastName',
  label: 'Last name; some select the outcome',
  first: 'Payer',
  offers: ({ magic }) => magic.failures.map(({ lastName }) => lastName).concat(magic.threeDs.lastName),
}
const EMAIL: FieldOf = { name: 'email', label: 'E-mail', first: 'ada@example.test', inputMode: 'email' }
const WEBHOOK: FieldOf = { name: 'webhook', label: 'Webhook URL; may be empty', first: '', inputMode: 'url' }

const notificationOf = ({ webhook = '' }: Values, fallback: string | null = null) => {
  const url = webhook === '' ? fallback : webhook
  return url === null ? undefined : { endpoint_url: url, authorization_header: 'Bearer sandbox' }
}

/** An address of this machine at which nothing listens, for calls that require one. */
const NOWHERE = 'http://127.0.0.1:9/'

export const KINDS = {
  links: {
    title: 'New link',
    path: '/v3/payin_links',
    currency: 'AUD',
    fields: [AMOUNT, DESCRIPTION, FIRST_NAME, LAST_NAME, EMAIL, WEBHOOK],
    body: (values) => ({
      amount: Number(values['amount']),
      description: values['description'],
      sender_info: { first_name: values['firstName'], last_name: values['lastName'], email: values['email'] },
      webhook_notification: notificationOf(values),
    }),
  },
  payins: {
    title: 'New payin',
    path: '/v2/payins',
    currency: 'PHP',
    fields: [
      { ...AMOUNT, first: '500' },
      { name: 'method', label: 'Method', first: 'ph_bank_maya_php' },
      LAST_NAME,
      EMAIL,
    ],
    body: (values, currency) => ({
      currency,
      gst: false,
      amount: Number(values['amount']),
      name: `Ada ${values['lastName']}`,
      email: values['email'],
      payin_method_name: values['method'],
      payin_method_params: {},
    }),
  },
  agreements: {
    title: 'New agreement',
    path: '/v1/pay_to/payment_agreement',
    currency: 'AUD',
    fields: [
      { name: 'reference', label: 'Merchant’s id', first: 'order-#' },
      { ...AMOUNT, label: 'Limit', first: '250.50' },
      { ...DESCRIPTION, first: 'Membership' },
      {
        name: 'payer',
        label: 'Payer; some names select the outcome',
        first: 'Ada Payer',
        offers: ({ magic }) => Object.values(magic.payers),
      },
      WEBHOOK,
    ],
    body: (values) => ({
      client_transaction_id: values['reference'],
      limit_amount: Number(values['amount']),
      description: values['description'],
      payment_agreement_type: 'RETAIL',
      agreement_details: { variable_agreement_details_obj: { start_date: '30/01/31', frequency: 'MONTHLY' } },
      payer_details: { name: values['payer'], bank_account_details: { bsb: '062-000', account_number: '12345678' } },
      payment_agreement_notification: notificationOf(values, NOWHERE),
    }),
  },
  payouts: {
    title: 'New payout',
    path: '/v2/payouts',
    currency: 'PHP',
    fields: [
      { ...AMOUNT, first: '500', offers: ({ magic }) => magic.payouts.map(({ amount }) => amount) },
      { name: 'method', label: 'Method', first: 'ph_bank_php' },
      { ...DESCRIPTION, first: 'Weekly wages' },
      FIRST_NAME,
      { ...LAST_NAME, label: 'Last name' },
      EMAIL,
      WEBHOOK,
    ],
    body: (values, currency) => ({
      currency,
      payout_method_name: values['method'],
      description: values['description'],
      payout_transaction_details: [
        {
          first_name: values['firstName'],
          last_name: values['lastName'],
          email: values['email'],
          amount: Number(values['amount']),
          payout_method_params: { account_number: '12345678', account_name: 'Ada Payer', bank_code: '600' },
        },
      ],
      webhook_notification: notificationOf(values, NOWHERE),
    }),
  },
  contacts: {
    title: 'New contact',
    path: '/v2/contacts',
    currency: 'AUD',
    fields: [FIRST_NAME, { ...LAST_NAME, label: 'Last name' }, { ...EMAIL, first: 'ada-#@example.test' }],
    body: (values) => ({
      type: 'individual',
      first_name: values['firstName'],
      last_name: values['lastName'],
      email: values['email'],
      gender: 'female',
      dob: '1990-12-10',
      phone: '+61400000000',
      street: '1 Example Street',
      city: 'Sydney',
      state: 'NSW',
      postal_code: '2000',
      country: 'AU',
    }),
  },
  deposits: {
    title: 'New deposit',
    path: '/v1/simulate_deposit',
    currency: 'AUD',
    fields: [
      { ...AMOUNT, first: '250.50' },
      { name: 'account', label: 'Account number', first: '1234567' },
    ],
    body: (values) => ({ account_number: values['account'], amount: values['amount'] }),
  },
} as const satisfies Readonly<Record<string, Kind>>

export type KindName = keyof typeof KINDS

const newNumber = () => Math.random().toString(36).slice(2, 8)

/** Creates one thing of a kind with a call of the interface, which it shows. */
export function NewDialog({ kind: name, onClose }: { readonly kind: KindName; readonly onClose: () => void }) {
  const { facts, act } = usePage()
  const kind: Kind = KINDS[name]
  const [currency, setCurrency] = useState(kind.currency)
  const [values, setValues] = useState<Values>(() =>
    Object.fromEntries(kind.fields.map(({ name: field, first }) => [field, first.replace('#', newNumber())])),
  )
  const thing: NewThing = { currency, path: kind.path, body: kind.body(values, currency) }
  const submit = async (close: () => void) => {
    if (await act(() => create(thing), `${kind.title.replace('New', 'Created: a')}.`)) close()
  }
  return (
    <Dialog title={kind.title} onClose={onClose}>
      {(close) => (
        <form
          class="stack-5"
          onSubmit={(event) => {
            event.preventDefault()
            void submit(close)
          }}
        >
          <div class="two">
            <Select
              label="Currency"
              value={currency}
              options={[...new Set(facts.about.sites.flatMap(({ currencies }) => currencies))]}
              onChange={setCurrency}
            />
            {kind.fields.map(({ name: field, label, offers, inputMode }) => (
              <TextField
                key={field}
                label={label}
                value={values[field] ?? ''}
                {...(offers === undefined ? {} : { offers: offers(facts) })}
                {...(inputMode === undefined ? {} : { inputMode })}
                onInput={(text) => setValues({ ...values, [field]: text })}
              />
            ))}
          </div>
          <details>
            <summary>The call</summary>
            <Code label={`POST ${kind.path}`} text={JSON.stringify(thing.body)} />
          </details>
          <p class="row">
            <button type="submit" class="button primary">
              Create
            </button>
            <button type="button" class="button quiet" onClick={close}>
              Cancel
            </button>
          </p>
        </form>
      )}
    </Dialog>
  )
}
