import { useMemo } from 'preact/hooks'
import { drawQrCode } from '../../../lib/draw-qr-code.ts'

type QrCodeProps = {
  readonly content: string
  /** The text alternative of the code. */
  readonly label: string
}

/** A QR code, drawn as one path. Dark on light in every theme, as scanners expect. */
export function QrCode({ content, label }: QrCodeProps) {
  const { path, size } = useMemo(() => drawQrCode(content), [content])
  return (
    <svg class="qr" role="img" aria-label={label} viewBox={`0 0 ${size} ${size}`} shape-rendering="crispEdges">
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}
