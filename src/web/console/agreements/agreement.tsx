import { DeliveriesOf } from '../deliveries/deliveries-of.tsx'
import type { FeedEvent } from '../feed/feed-state.ts'
import { AgreementNowDocument, type AgreementNowQuery } from '../generated/graphql.ts'
import { Amount } from '../pieces/amount.tsx'
import { Fact, Facts } from '../pieces/facts.tsx'
import { AnswerFailure } from '../pieces/failures.tsx'
import { History } from '../pieces/history.tsx'
import { Moment } from '../pieces/moment.tsx'
import { Needs } from '../pieces/needs.tsx'
import { Page, Waiting } from '../pieces/page.tsx'
import { Status, wordsOf } from '../pieces/status.tsx'
import { useAnswer } from '../pieces/use-answer.ts'
import { useScope } from '../session/session.ts'
import { AgreementActions } from './agreement-actions.tsx'

export type AgreementNow = NonNullable<AgreementNowQuery['paymentAgreement']>

/** One debit agreement: its terms, history and actions. */
export function Agreement({ id }: { readonly id: string }) {
  const concerns = ({ agreementId }: FeedEvent) => agreementId === id
  const answer = useAnswer(AgreementNowDocument, { id, pii: useScope('payments:pii') }, { concerns })
  const agreement = answer.data?.paymentAgreement ?? null
  return (
    <Page title={`Agreement ${agreement?.clientTransactionId ?? id}`}>
      <AnswerFailure of={answer} />
      {agreement === null ? (
        <Waiting of={answer} what={`agreements with the id ${id}`} />
      ) : (
        <>
          <AgreementFacts agreement={agreement} />
          <section aria-labelledby="actions">
            <h2 id="actions">Actions</h2>
            <Needs scopes={['agreements:write']} what="Changes of its status">
              <AgreementActions agreement={agreement} onDone={answer.askAgain} />
            </Needs>
          </section>
          <div class="beside">
            <History
              events={agreement.events?.nodes ?? []}
              isWhole={agreement.events?.pageInfo.hasNextPage === false}
            />
            <Needs scopes={['payments:read']} what="Deliveries">
              <DeliveriesOf subjectId={agreement.id} concerns={concerns} />
            </Needs>
          </div>
        </>
      )}
    </Page>
  )
}

function AgreementFacts({ agreement }: { readonly agreement: AgreementNow }) {
  const { payer } = agreement
  return (
    <section aria-labelledby="facts">
      <h2 id="facts">Facts</h2>
      <Facts>
        <Fact name="Status">
          <Status of={agreement.status} />
        </Fact>
        <Fact name="Limit">
          <Amount of={agreement.limit} />
        </Fact>
        <Fact name="What for">{agreement.description}</Fact>
        <Fact name="Purpose">{wordsOf(agreement.purpose)}</Fact>
        <Fact name="Amount rule">{wordsOf(agreement.amountRule)}</Fact>
        <Fact name="Frequency">{wordsOf(agreement.frequency)}</Fact>
        <Fact name="First day">{agreement.startDate}</Fact>
        <Fact name="Payer">
          {payer && [payer.name, payer.bsb, payer.accountNumberMasked, payer.payIdMasked].filter(Boolean).join(', ')}
        </Fact>
        <Fact name="Id">
          <code>{agreement.id}</code>
        </Fact>
        <Fact name="External id">{agreement.externalId}</Fact>
        <Fact name="Created">
          <Moment at={agreement.createdAt} />
        </Fact>
        <Fact name="Changed">
          <Moment at={agreement.updatedAt} />
        </Fact>
      </Facts>
    </section>
  )
}
