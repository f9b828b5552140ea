import { useEffect, useState } from 'preact/hooks'
import { type Catalogue, fetchCatalogue } from './shop-server.ts'

export type CatalogueState = {
  /** `'none'` where there is no shop. */
  readonly catalogue: Catalogue | 'loading' | 'failed' | 'none'
  /** Asks again. */
  readonly load: () => void
}

/** What the shop sells, from its server. */
export function useCatalogue(): CatalogueState {
  const [catalogue, setCatalogue] = useState<CatalogueState['catalogue']>('loading')
  const load = () => {
    setCatalogue('loading')
    fetchCatalogue().then(
      (found) => setCatalogue(found ?? 'none'),
      () => setCatalogue('failed'),
    )
  }
  useEffect(load, [])
  return { catalogue, load }
}
