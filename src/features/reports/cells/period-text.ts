import * as z from 'zod'
import { isPeriod } from './period'

/** A period as operations receive it. */
export const PeriodText = z.string('validation.wrongType').refine(isPeriod, 'reportCells.period')
