import { Group, Paper, Skeleton, Stack, VisuallyHidden } from '@mantine/core'
import { useSay } from '~/shared/say'
import { DocumentTitle } from './DocumentTitle'

/** The shape of a screen whose data is on its way: a route's `pendingComponent`. */
export function PageSkeleton() {
  const say = useSay()
  return (
    <Stack gap="lg" aria-busy>
      <DocumentTitle />
      <VisuallyHidden component="h1">
        <output>{say('common.loading')}</output>
      </VisuallyHidden>
      <Group justify="space-between">
        <Skeleton height={28} width="14rem" />
        <Skeleton height={36} width="8rem" />
      </Group>
      <Paper withBorder p="lg">
        <Stack gap="md">
          {['85%', '70%', '92%', '60%', '78%'].map((width) => (
            <Skeleton key={width} height={14} width={width} />
          ))}
        </Stack>
      </Paper>
    </Stack>
  )
}
