import { LinkNowDocument } from '../generated/graphql.ts'
import { useReconcile } from '../payments/reconcile.tsx'
import { AnswerFailure, useAnswer } from '../pieces/answers.tsx'
import { History } from '../pieces/history.tsx'
import { Moment } from '../pieces/moments.tsx'
import { Fact, Facts, Page, Waiting } from '../pieces/page.tsx'
import { Amount, Status } from '../pieces/values.tsx'
import { hrefOf } from '../routes/route.ts'

/** One hosted checkout link with its history. */
export function Link({ id }: { readonly id: string }) {
  const answer = useAnswer(LinkNowDocument, { id }, { concerns: ({ linkId }) => linkId === id })
  const link = answer.data?.paymentLink ?? null
  const reconcile = useReconcile(id, answer.askAgain)
  return (
    <Page title={`Link ${link?.reference ?? id}`} in="links" actions={reconcile.button}>
      {reconcile.outcome}
      <AnswerFailure of={answer} />
      {link === null ? (
        <Waiting of={answer} what={`links with the id ${id}`} />
      ) : (
        <>
          <Facts>
            <Fact name="State">
              <Status kind="PaymentLinkState" of={link.state} />
            </Fact>
            <Fact name="Requested">
              <Amount of={link.requestedAmount} />
            </Fact>
            <Fact name="Payment">
              {link.payment && <a href={hrefOf('payments', link.payment.id)}>{link.payment.statusRaw}</a>}
            </Fact>
            <Fact name="Description">{link.description}</Fact>
            <Fact name="Method">{link.method && `${link.method.name} (${link.method.code})`}</Fact>
            <Fact name="Site">{link.site}</Fact>
            <Fact name="Id">
              <code>{link.id}</code>
            </Fact>
            <Fact name="Created">
              <Moment at={link.createdAt} />
            </Fact>
            <Fact name="Expires">
              <Moment at={link.expiresAt} />
            </Fact>
          </Facts>
          <History events={link.events?.nodes ?? []} isWhole={link.events?.pageInfo.hasNextPage === false} />
        </>
      )}
    </Page>
  )
}
