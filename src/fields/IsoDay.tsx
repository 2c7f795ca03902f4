/** An answered day, `yyyy-MM-dd`: the same in every language, and in one piece. */
export const IsoDay = ({ day }: { day: string }) => (
  <time dateTime={day} dir="ltr" style={{ whiteSpace: 'nowrap' }}>
    {day}
  </time>
)
