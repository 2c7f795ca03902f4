import { date } from '~/fields/field'
import { kinds } from '~/fields/kinds'

const day = date('batches.expiry')

/** A day of the calendar, the month in letters. */
export const Day = ({ value }: { value: string }) => <kinds.date.Cell field={day} value={value} />
