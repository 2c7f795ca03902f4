import { Stack, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useSay } from '~/shared/say'
import { PageSkeleton } from '~/ui/PageSkeleton'

/** After this time, a user wonders whether anything happens. */
const LONG_MS = 1_500

/** The shape of a report that is being computed, with words if it takes long. */
export function ReportPending() {
  const say = useSay()
  const [isLong, setLong] = useState(false)
  useEffect(() => {
    const waiting = setTimeout(() => setLong(true), LONG_MS)
    return () => clearTimeout(waiting)
  }, [])
  return (
    <Stack gap="md">
      <PageSkeleton />
      <Text size="sm" c="dimmed" component="output">
        {isLong && say('reports.computing')}
      </Text>
    </Stack>
  )
}
