import { Alert } from '@mantine/core'
import { IconRefreshAlert, IconWifiOff } from '@tabler/icons-react'
import { useSyncExternalStore } from 'react'
import { useSay } from '~/shared/say'
import { useOutdated } from '~/client/outdated'

/** Says that the network or the server is gone, and that nothing typed is lost by it. */
export function OfflineNotice() {
  const say = useSay()
  const isOnline = useSyncExternalStore(
    subscribe,
    () => navigator.onLine,
    () => true,
  )
  const isOutdated = useOutdated()
  return (
    // always there, so that screen readers hear the change
    <output style={{ display: 'block' }}>
      {!isOnline && (
        <Alert color="yellow" variant="light" icon={<IconWifiOff aria-hidden />} mb="md">
          {say('shell.offline')}
        </Alert>
      )}
      {isOnline && isOutdated && (
        <Alert color="yellow" variant="light" icon={<IconRefreshAlert aria-hidden />} mb="md">
          {say('shell.outdated')}
        </Alert>
      )}
    </output>
  )
}

function subscribe(onChange: () => void) {
  window.addEventListener('online', onChange)
  window.addEventListener('offline', onChange)
  return () => {
    window.removeEventListener('online', onChange)
    window.removeEventListener('offline', onChange)
  }
}
