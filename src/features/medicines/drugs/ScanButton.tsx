import { ActionIcon, Tooltip } from '@mantine/core'
import { IconBarcode } from '@tabler/icons-react'
import { lazy, Suspense, useState } from 'react'
import { useSay } from '~/shared/say'

// a megabyte, for those who use it
const ScanDialog = lazy(() => import('./ScanDialog'))

/** Reads a barcode with the camera. A scanner needs no button: it types. */
export function ScanButton({
  onScan,
  disabled,
}: {
  onScan: (code: string) => void
  disabled?: boolean
}) {
  const say = useSay()
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Tooltip label={say('drugs.scan')}>
        <ActionIcon
          variant="default"
          size="lg"
          aria-label={say('drugs.scan')}
          disabled={disabled}
          onClick={() => setOpen(true)}
        >
          <IconBarcode size={18} aria-hidden />
        </ActionIcon>
      </Tooltip>
      {isOpen && (
        <Suspense>
          <ScanDialog
            onClose={() => setOpen(false)}
            onScan={(code) => {
              setOpen(false)
              onScan(code)
            }}
          />
        </Suspense>
      )}
    </>
  )
}
