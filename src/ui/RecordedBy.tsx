import { Text } from '@mantine/core'
import type { FromDocument } from '~/shared/from-document'
import { useSay } from '~/shared/say'
import { type Column, Nothing } from './columns'
import { Moment } from './Moment'
import { TakenFrom } from './TakenFrom'

type Props = {
  name: string | null
  /** Whose phone sent it, if that is another user. */
  sentBy?: string | null
  at?: Date
  /** The document of another program that it was taken from. */
  from?: FromDocument | null
}

/** Who recorded something, who sent it, the day, and the document that it was taken from. */
export function RecordedBy({ name, sentBy, at, from }: Props) {
  const say = useSay()
  return (
    <>
      {name ? <bdi>{name}</bdi> : <Nothing />}
      {at && (
        <>
          {' · '}
          <Moment at={at} dayOnly />
        </>
      )}
      {sentBy && (
        <Text size="xs" c="dimmed" component="div">
          {say({ key: 'common.sentBy', values: { name: sentBy } })}
        </Text>
      )}
      <TakenFrom mark={from} />
    </>
  )
}

/** The column of a list: who recorded the row, and when. */
export const recordedBy: Column<{
  recorded_by: string | null
  created_at: Date
  from_document?: FromDocument | null
}> = {
  key: 'recorded_by',
  label: 'common.recordedBy',
  cell: ({ recorded_by, created_at, from_document }) => (
    <RecordedBy name={recorded_by} at={created_at} from={from_document} />
  ),
}
