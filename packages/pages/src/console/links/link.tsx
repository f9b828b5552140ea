import { LinkNowDocument } from '../generated/graphql.ts'
import { useReconcile } from '../payments/reconcile.tsx'
import { useAnswer } from '../pieces/answers.tsx'
import { Moment } from '../pieces/moments.tsx'
import { Banner } from '../pieces/page.tsx'
import { Subject } from '../pieces/subject.tsx'
import { Id, Status } from '../pieces/values.tsx'
import { hrefOf } from '../routes/route.ts'
import { LinkShare } from './link-share.tsx'

/** One hosted checkout link: to show, copy or send, with its history. */
export function Link({ id }: { readonly id: string }) {
  const answer = useAnswer(LinkNowDocument, { id }, { concerns: ({ linkId }) => linkId === id })
  const link = answer.data?.paymentLink ?? null
  const reconcile = useReconcile(id, answer.askAgain)
  const { payments = [], method = null, state } = link ?? {}
  const takesPayment = link !== null && state !== 'PAID' && state !== 'EXPIRED'
  return (
    <Subject
      in="links"
      what="Link"
      id={id}
      answer={answer}
      kind="PaymentLinkState"
      shown={
        link && {
          amount: link.requestedAmount,
          status: link.state,
          name: link.reference,
          about: [link.description],
          events: link.events,
          parts: {
            'How it is paid': {
              ...Object.fromEntries(
                payments.map(({ id: paymentId, status, statusRaw }, index) => [
                  payments.length === 1 ? 'Payment' : `Attempt ${index + 1}`,
                  <a key={paymentId} href={hrefOf('payments', paymentId)}>
                    <Status kind="PayinStatus" of={status} raw={statusRaw} />
                  </a>,
                ]),
              ),
              Method: method && `${method.name} (${method.code})`,
              Site: link.site,
              'Open until': <Moment at={link.expiresAt} isExact />,
            },
            Ids: {
              Link: <Id of={link.id} what="link id" />,
              Reference: <Id of={link.reference} what="reference" />,
              Created: <Moment at={link.createdAt} isExact />,
            },
          },
        }
      }
      actions={reconcile.button}
      banners={
        <>
          {reconcile.outcome}
          {state === 'FAILED' && (
            <Banner tone="over" glyph="fail" title="The last attempt failed">
              <p>The customer can try again until the link expires.</p>
            </Banner>
          )}
          {takesPayment && <LinkShare link={link} />}
        </>
      }
    />
  )
}
