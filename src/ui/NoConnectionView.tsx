import { Button } from '@mantine/core'
import { IconWifiOff } from '@tabler/icons-react'
import { useEffect, useEffectEvent } from 'react'
import { useSay } from '~/shared/say'
import { DocumentTitle } from './DocumentTitle'
import { EmptyState } from './EmptyState'

/** How often a screen that waits for the server looks whether it is there again. */
const LOOK_EVERY_MS = 5_000

/** Instead of a screen that could not be fetched. It goes on by itself as soon as the server answers. */
export function NoConnectionView({ retry }: { retry: () => Promise<void> }) {
  const say = useSay()
  useWhenReachable(retry)
  return (
    <div role="alert">
      <DocumentTitle page="errors.noConnection" />
      <EmptyState
        icon={IconWifiOff}
        isPage
        title="errors.noConnection"
        text="errors.noConnectionText"
        action={
          <Button mt="sm" variant="default" onClick={() => void retry()}>
            {say('errors.tryAgain')}
          </Button>
        }
      />
    </div>
  )
}

/** The browser knows of its own network only; whether the server is there is asked. */
function useWhenReachable(goOn: () => Promise<void>) {
  const look = useEffectEvent(async () => {
    const answer = await fetch('/api/health/live').catch(() => null)
    if (answer?.ok) await goOn()
  })
  useEffect(() => {
    const lookAgain = () => void look()
    const timer = setInterval(lookAgain, LOOK_EVERY_MS)
    window.addEventListener('online', lookAgain)
    return () => {
      clearInterval(timer)
      window.removeEventListener('online', lookAgain)
    }
  }, [])
}
