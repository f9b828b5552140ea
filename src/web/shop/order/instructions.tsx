import { useState, useMemo } from 'preact/hooks'
import { formatAmount } from '../../../client/index.ts'
import { drawQrCode } from '../../../lib/draw-qr-code.ts'
import type { Money } from '../format-money.ts'
import { useSpeech } from '../language.ts'

/** Keys under which the payments API returns the content of a QR code. */
const QR_NAMES: ReadonlySet<string> = new Set(['qr_string', 'qr_code', 'qr_content'])

type InstructionsProps = { readonly instructions: Readonly<Record<string, unknown>>; readonly amount: Money }

/** The payment instructions: a code to scan, or an account to transfer to. */
export function Instructions({ instructions, amount }: InstructionsProps) {
  const { language, texts } = useSpeech()
  const entries = Object.entries(instructions).flatMap(([name, value]) =>
    typeof value === 'string' || typeof value === 'number' ? [{ name, text: String(value) }] : [],
  )
  const code = entries.find(({ name }) => QR_NAMES.has(name))
  const rest = entries.filter((entry) => entry !== code)
  return (
    <>
      {code !== undefined && (
        <section class="card" aria-labelledby="qr-title">
          <h2 id="qr-title">{texts.qr}</h2>
          <p>{texts.qrHint}</p>
          <QrCode content={code.text} label={texts.qrImage(formatAmount(amount, language))} />
          <Copyable label={texts.qrText} text={code.text} />
        </section>
      )}
      {rest.length > 0 && (
        <section class="card" aria-labelledby="instructions-title">
          <h2 id="instructions-title">{texts.instructions}</h2>
          <dl>
            {rest.map(({ name, text }) => (
              <div key={name}>
                <dt lang="en">{name.replaceAll('_', ' ')}</dt>
                <dd>
                  <bdi>{text}</bdi>
                </dd>
              </div>
            ))}
          </dl>
        </section>
      )}
    </>
  )
}

function Copyable({ label, text }: { readonly label: string; readonly text: string }) {
  const { texts } = useSpeech()
  const [copied, setCopied] = useState(false)
  return (
    <p class="copyable">
      <label>
        {label} <input readOnly dir="ltr" value={text} onFocus={({ currentTarget }) => currentTarget.select()} />
      </label>{' '}
      {/* Without a secure context browsers have no clipboard API; the text is selected when it gets the focus. */}
      {isSecureContext && (
        <button type="button" onClick={() => void navigator.clipboard.writeText(text).then(() => setCopied(true))}>
          {copied ? texts.copied : texts.copy}
        </button>
      )}
    </p>
  )
}

type QrCodeProps = {
  readonly content: string
  /** The text alternative of the code. */
  readonly label: string
}

/** A QR code, drawn as one path. Dark on light in every theme, as scanners expect. */
function QrCode({ content, label }: QrCodeProps) {
  const { path, size } = useMemo(() => drawQrCode(content), [content])
  return (
    <svg class="qr" role="img" aria-label={label} viewBox={`0 0 ${size} ${size}`} shape-rendering="crispEdges">
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}
