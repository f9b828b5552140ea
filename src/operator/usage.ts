/** What the command line shows with --help, and with a wrong usage. */
export const USAGE = `Usage: payments-subgraph-operator <command> [--url <address>]

  deliveries             what was quarantined or is in doubt, newest first
    --quarantined        only what could not be used
    --doubtful           only what contradicts the state
    --all                whatever became of it
    --subject <id>       only about this payment, agreement or payout
    --limit <n>          at most so many, 1 to 1000; default 50
  delivery <id>          one delivery, its body, and what it speaks of
  replay <id>            what would happen if it were decided anew: a dry run
    --apply              do it
  erase-payer            erase who has paid, for good; one of:
    --payment <id>       the payer of this payment
    --link <id>          those of the payments through this link
    --agreement <id>     the debited payer of this agreement
    --payout <id>        the payees of this payout, if it was made here
    --owner <owner>      those of the payments of this owner's links and payins; agreements and
                         payouts have no owner, and are erased by their ids
    --email <address>    those with this e-mail address
  erasures               what was erased, newest first
    --limit <n>          at most so many, 1 to 1000; default 50
  keys                   the signing keys, what depends on each, and which can be removed
  export                 payments as a file on the standard output, with totals by day, currency and method
    --format <format>    csv (default) or ndjson
    --from <instant>     last changed at this instant or later, such as 2026-11-01T00:00:00Z
    --before <instant>   last changed before this instant
    --phase <phase>      only of this phase, such as SUCCEEDED; may be repeated
    --reference <text>   only with this reference
  import                 compare what the payments API lists of an interval with the record, and record what is missing
    --from <instant>     made at this instant or later, such as 2026-11-01T00:00:00Z
    --to <instant>       made until this instant; default: now
    --dry-run            only compare
    --site <id>          only the lists of this site; may be repeated
    --id <id>            in place of an interval: wait for an import that was begun before
  reconcile              the payments API's sums of a day beside ours, by site and currency
    --day <day>          such as 2026-11-24, in UTC; default: the latest that the daily schedule has compared
  unanswered             gateway payments that were requested and of which no answer came, the oldest first
    --limit <n>          at most this many, up to 100; default: 50
  settle <id>            record what the payments API's own pages show, with one of:
    --created <id>       the operation has made the gateway payment with this id
    --not-created        the operation has made none: its idempotency key may send it again
    --status <status>    the gateway payment in place of an operation has this status, such as received,
    --version <n>        and had this version when it was compared
  documents              the documents of these commands, for a manifest of trusted documents

  --json                 the answer as JSON (of every command but export and documents)
  --url <address>        the subgraph's GraphQL address; default: SUBGRAPH_URL, or http://127.0.0.1:4000/graphql

The token is read from SUBGRAPH_TOKEN alone. It needs the scope payments:read, payments:risk to be shown bodies,
agreements:read to be shown agreements, and webhooks:replay to replay. Erasures need payments:erase alone,
import and reconcile payments:reconcile alone, settle payments:read and payments:reconcile.
Exit codes: 0 done, 1 refused or failed, 2 wrong usage.
`
