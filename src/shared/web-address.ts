import * as z from 'zod'
import type { MessageKey } from './language'

/** `https://server.example/path`, without a user, a query or a slash at its end. */
export const webAddress = (wrong: MessageKey) =>
  z
    .string('validation.wrongType')
    .trim()
    .min(1, 'validation.required')
    .max(300, 'validation.tooLong')
    .transform((typed, { issues }) => {
      const url = URL.canParse(typed) ? new URL(typed) : undefined
      const isAddress =
        url &&
        /^https?:$/.test(url.protocol) &&
        !url.username &&
        !url.password &&
        !url.search &&
        !url.hash
      if (isAddress) return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
      issues.push({ code: 'custom', message: wrong, input: typed })
      return z.NEVER
    })
