import 'dayjs/locale/ar'
import 'dayjs/locale/es'
import { DatePicker, type DatePickerProps } from '@mantine/dates'

/** In a file of its own, so that the calendar is fetched when it is opened and not at the sign-in. */
export default function Calendar(props: DatePickerProps) {
  return <DatePicker {...props} />
}
