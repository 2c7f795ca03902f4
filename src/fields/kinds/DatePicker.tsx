import { DateInput, type DateInputProps } from '@mantine/dates'

/** In a file of its own, so that the calendar is fetched by whoever is asked for a date and not at the sign-in. */
export default function DatePicker(props: DateInputProps) {
  return <DateInput {...props} />
}
