import type { Descriptors, ParamRules } from '../methods/method-params.ts'
import type { Method } from '../methods/methods.ts'
import { MOBILE_NUMBER } from '../values/object-shapes.ts'

/** Returns the rules for `payin_method_params` of a method (gap sheet, section 8). */
export function payinParamRules(method: Method): ParamRules {
  if (method.kind === 'mobile_money') return { descriptors: { phone: 'string:Mandatory Mobile number' }, shapes: PHONE }
  return {
    descriptors: BY_METHOD[method.code] ?? ANY_METHOD,
    ...(method.currency === 'JPY' ? { shapes: { first_name: KATAKANA, last_name: KATAKANA } } : {}),
  }
}

const PHONE = { phone: MOBILE_NUMBER }

/** Full-width and half-width katakana, with the long-vowel and middle-dot marks. */
const KATAKANA = /^[\u30a0-\u30ff\uff66-\uff9f ]+$/

const ANY_METHOD: Descriptors = {
  user_id: 'string:Optional User id',
  product_name: 'string:Optional Product name',
}

const BY_METHOD: Readonly<Record<string, Descriptors>> = {
  au_alias_npp_aud: {
    callback_url: 'string:Mandatory Callback URL',
    first_name: 'string:Optional First name',
    last_name: 'string:Optional Last name',
    phone: 'string:Optional Phone',
    country_code: 'string:Optional Country code',
    state_code: 'string:Optional State code',
    address: 'string:Optional Address',
    city: 'string:Optional City',
    zip_code: 'string:Optional Zip code',
    ip_address: 'string:Optional IP address',
  },
  jp_bank_jpy: {
    user_id: 'string:Mandatory User id',
    user_name: 'string:Mandatory User name',
    first_name: 'string:Mandatory First name in katakana',
    last_name: 'string:Mandatory Last name in katakana',
    phone: 'string:Optional Phone',
    email: 'string:Optional Email',
    ip_address: 'string:Optional IP address',
  },
  kr_bank_krw: { user_name: 'string:Mandatory User name' },
  id_bank_qris_idr: {},
  vn_vietqr_vnd: {
    ip_address: 'string:Optional IP address',
    phone: 'string:Optional Phone',
    transliterate: 'boolean:Optional Write names without diacritics',
  },
}
