/** Whether the platform knows a time zone of that name. A module of its own: the start needs no other of zones. */
export const isTimeZone = (name: string) => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}
