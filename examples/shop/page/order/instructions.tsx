import { formatAmount } from 'payments-subgraph-client'
import { Icon } from 'payments-subgraph-pages/design/icons'
import type { ComponentChildren } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import createCode from 'qrcode-generator'
import { fill, useSpeech } from '../language.ts'
import type { Link, Payment } from './stage.ts'

type ScanProps = { readonly link: Link; readonly content: string; readonly children: ComponentChildren }

/** A code to scan, which can be saved as a picture and copied as text, for a payer whose bank is on the same phone. */
export function Scan({ link, content, children }: ScanProps) {
  const { language, texts } = useSpeech()
  const [copied, setCopied] = useState(false)
  const picture = useMemo(() => pictureOf(content), [content])
  const amount = formatAmount(link.requestedAmount, language)
  return (
    <>
      <div class="qr">
        <div class="paper">
          <img alt={fill(texts.qrImage, { amount })} src={picture} />
        </div>
      </div>
      {children}
      <div class="buttons">
        <a class="button big" href={picture} download={`${link.reference}.png`}>
          <Icon name="download" />
          {texts.savePicture}
        </a>
        {/* Without a secure context browsers have no clipboard. */}
        {isSecureContext ? (
          <button
            class="button big"
            type="button"
            onClick={() => void navigator.clipboard.writeText(content).then(() => setCopied(true))}
          >
            <Icon name={copied ? 'check' : 'copy'} />
            {copied ? texts.copied : texts.copyCode}
          </button>
        ) : (
          <input class="input" aria-label={texts.qrText} readOnly dir="ltr" value={content} />
        )}
      </div>
    </>
  )
}

/** Pixels of a module of the saved picture. */
const MODULE_PX = 8
/** Width of the margin in modules; scanners need it (ISO/IEC 18004). */
const QUIET_ZONE = 4

/** Returns a QR code as the data URL of a PNG, which galleries and banking apps accept: dark on light in every theme. */
function pictureOf(content: string): string {
  const code = createCode(0, 'M')
  code.addData(content)
  code.make()
  const count = code.getModuleCount()
  const canvas = document.createElement('canvas')
  canvas.width = canvas.height = (count + 2 * QUIET_ZONE) * MODULE_PX
  const context = canvas.getContext('2d')
  if (context === null) return ''
  context.fillStyle = 'white'
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.fillStyle = 'black'
  for (let row = 0; row < count; row += 1)
    for (let column = 0; column < count; column += 1)
      if (code.isDark(row, column))
        context.fillRect((column + QUIET_ZONE) * MODULE_PX, (row + QUIET_ZONE) * MODULE_PX, MODULE_PX, MODULE_PX)
  return canvas.toDataURL()
}

type AccountProps = { readonly instructions: NonNullable<Payment['instructions']> }

/** The account to transfer to, and what else the payer needs. */
export function Account({ instructions }: AccountProps) {
  const { texts } = useSpeech()
  const { alias, url, message, account } = instructions
  const rows = Object.entries(texts.account).flatMap(([name, label]) => {
    const text = { ...account, alias, url, message }[name as keyof typeof texts.account]
    return text === null || text === undefined ? [] : [{ label, text }]
  })
  if (rows.length === 0) return null
  return (
    <section aria-labelledby="instructions-title">
      <h2 id="instructions-title">{texts.instructions}</h2>
      <dl class="receipt">
        {rows.map(({ label, text }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>
              <bdi>{text}</bdi>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
