import { Nothing } from './columns'
import { Moment } from './Moment'

/** Who recorded something, and the day. */
export const RecordedBy = ({ name, at }: { name: string | null; at?: Date }) => (
  <>
    {name ? <bdi>{name}</bdi> : <Nothing />}
    {at && (
      <>
        {' · '}
        <Moment at={at} dayOnly />
      </>
    )}
  </>
)
