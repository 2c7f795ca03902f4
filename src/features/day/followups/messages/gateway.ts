import * as z from 'zod'
import { webAddress } from '~/shared/web-address'
import { orNull } from '~/shared/record'

/** capcom6/android-sms-gateway on a phone of the clinic (local mode), or a webhook. */
export const GATEWAYS = ['android', 'webhook'] as const
export type GatewayKind = (typeof GATEWAYS)[number]

export const SaveGateway = z
  .object({
    kind: z.enum(GATEWAYS, 'validation.option'),
    address: webAddress('messageGateway.addressForm'),
    username: orNull(z.string('validation.wrongType').trim().max(200, 'validation.tooLong')),
    /** Empty: as before. */
    secret: orNull(z.string('validation.wrongType').max(1000, 'validation.tooLong')),
    country_code: z
      .string('validation.wrongType')
      .trim()
      .regex(/^(\+|00)?[1-9]\d{0,2}$/, 'messageGateway.countryForm')
      .transform((typed) => typed.replace(/^(\+|00)/, '')),
  })
  .superRefine(({ kind, username }, ctx) => {
    if (kind === 'android' && !username)
      ctx.addIssue({ code: 'custom', message: 'validation.required', path: ['username'] })
  })

/** Arabic-Indic and Persian digits as those of the gateway. */
const latin = (text: string) =>
  text.replaceAll(/[٠-٩۰-۹]/g, (digit) => String((digit.codePointAt(0)! & 0xf) % 10))

/**
 * The number as a gateway wants it, `+963944123456`: `00` is `+`, and a number without either gets the code of the
 * country. Null if it is not one number that can be called.
 */
export function dialled(phone: string | null, country: string): string | null {
  const plain = latin(phone ?? '')
    .replaceAll(/[\s().-]/g, '')
    .replace(/^00/, '+')
  if (!/^\+?\d{8,15}$/.test(plain)) return null
  return plain.startsWith('+') ? plain : `+${country}${plain.replace(/^0/, '')}`
}
