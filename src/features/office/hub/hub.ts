import * as z from 'zod'

export const SwitchHub = z.object({ enabled: z.boolean('validation.wrongType') })
export const HubPhoneId = z.object({ id: z.uuid('validation.id') })

/** The first and the last part of a key, for people to compare: `3F9A-12C4`. */
export const shortKey = (hex: string) => `${hex.slice(0, 4)}-${hex.slice(-4)}`.toUpperCase()
