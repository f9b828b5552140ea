import { useMemo } from 'preact/hooks'
import createCode from 'qrcode-generator'

/** Width of the margin around the code in modules; scanners need it (ISO/IEC 18004). */
const QUIET_ZONE = 4

type QrCodeProps = {
  readonly content: string
  /** The text alternative of the code. */
  readonly label: string
}

/** A QR code, drawn as one path. Dark on light in every theme, as scanners expect. */
export function QrCode({ content, label }: QrCodeProps) {
  const { path, size } = useMemo(() => drawn(content), [content])
  return (
    <svg class="qr" role="img" aria-label={label} viewBox={`0 0 ${size} ${size}`} shape-rendering="crispEdges">
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}

function drawn(content: string): { readonly path: string; readonly size: number } {
  const code = createCode(0, 'M')
  code.addData(content)
  code.make()
  const count = code.getModuleCount()
  const modules = Array.from({ length: count * count }, (_, at) => [Math.floor(at / count), at % count] as const)
  const path = modules
    .filter(([row, column]) => code.isDark(row, column))
    .map(([row, column]) => `M${column + QUIET_ZONE} ${row + QUIET_ZONE}h1v1h-1z`)
    .join('')
  return { path, size: count + 2 * QUIET_ZONE }
}
