import * as z from 'zod'

const EARLIEST = Date.UTC(1900, 0, 1)
const LATEST = Date.UTC(2200, 0, 1)

const zoned = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})$/

/** A moment as callers send it: a Date, ISO text with a zone, or milliseconds. */
export const SentMoment = z
  .union([z.date(), z.string(), z.number()], 'validation.wrongType')
  .transform((value, { issues }) => {
    const at =
      typeof value === 'string' && !zoned.test(value) ? Number.NaN : new Date(value).getTime()
    if (at >= EARLIEST && at < LATEST) return new Date(at)
    issues.push({ code: 'custom', message: 'validation.wrongType', input: value })
    return z.NEVER
  })
