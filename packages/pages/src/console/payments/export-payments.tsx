import { useMutation } from '@urql/preact'
import { useState } from 'preact/hooks'
import { Icon } from '../../design/icons.tsx'
import {
  ExportPaymentsDocument,
  type ExportPaymentsMutationVariables,
  type PaymentsExportFormat,
} from '../generated/graphql.ts'
import { documentOf, FailureNotice, RequestFailure, useSingle } from '../pieces/answers.tsx'
import { Popover } from '../pieces/popover.tsx'
import { useSession } from '../session/session.ts'

type Props = { readonly filter: ExportPaymentsMutationVariables['input']['filter'] }

const FORMATS: readonly PaymentsExportFormat[] = ['CSV', 'NDJSON']

/** Downloads the payments of the list, all its pages, as a file. */
export function ExportPayments({ filter }: Props) {
  const { claims } = useSession()
  const [{ error }, execute] = useMutation(documentOf(ExportPaymentsDocument))
  const [said, setSaid] = useState<Awaited<ReturnType<typeof execute>>['data']>()
  const result = said?.createPaymentsExport

  const [isBusy, exportAll] = useSingle(async (form: HTMLFormElement) => {
    const fields = new FormData(form)
    const format = FORMATS.find((name) => name === fields.get('format')) ?? 'CSV'
    setSaid(undefined)
    const { data } = await execute({ input: { filter, format, includePayers: fields.has('payers') } })
    setSaid(data)
    if (data?.createPaymentsExport?.__typename === 'PaymentsExport') download(data.createPaymentsExport.url)
  })

  return (
    <Popover
      label="Export"
      opener={
        <>
          <Icon name="download" />
          <span>Export</span>
        </>
      }
    >
      <form
        class="fields"
        aria-label="Export"
        onSubmit={(event) => {
          event.preventDefault()
          exportAll(event.currentTarget)
        }}
      >
        <label class="field">
          <span class="label">File format</span>
          <select class="select" name="format">
            {FORMATS.map((format) => (
              <option key={format}>{format}</option>
            ))}
          </select>
        </label>
        {claims.scopes.has('payments:pii') && (
          <label class="check">
            <input type="checkbox" name="payers" />
            <span>With names and e-mail addresses</span>
          </label>
        )}
        <button class="button primary" aria-busy={isBusy} disabled={isBusy}>
          Download all that the filter leaves
        </button>
        <p class="small faint" role="status">
          {result?.__typename === 'PaymentsExport' &&
            'The download has begun. Totals and the number of payments are at the end of the file: without them it was cut off.'}
        </p>
        <RequestFailure error={error} />
        {result !== undefined && result !== null && 'code' in result && <FailureNotice failure={result} />}
      </form>
    </Popover>
  )
}

/** Follows a URL as a download, so that a refusal does not take the place of the console. */
export function download(url: string): void {
  const link = document.createElement('a')
  link.href = url
  link.download = ''
  link.click()
}
