import { Button } from '@mantine/core'
import { IconPills } from '@tabler/icons-react'
import { lazy, Suspense, useState } from 'react'
import { useSay } from '~/shared/say'
import type { ReviewProps } from './MedicineReviewDialog'

const LoadedDialog = lazy(() =>
  import('./MedicineReviewDialog').then((module) => ({ default: module.MedicineReviewDialog })),
)

export const LazyMedicineReviewDialog = (props: ReviewProps & { onClose: () => void }) => (
  <Suspense>
    <LoadedDialog {...props} />
  </Suspense>
)

/** The button that opens the list of what the patient takes, each medicine with keep, stop and change. */
export function MedicineReview({ size = 'compact-sm', ...props }: ReviewProps & { size?: string }) {
  const say = useSay()
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button
        size={size}
        variant="default"
        leftSection={<IconPills size={14} aria-hidden />}
        onClick={() => setOpen(true)}
      >
        {say('reconciliations.open')}
      </Button>
      {isOpen && <LazyMedicineReviewDialog {...props} onClose={() => setOpen(false)} />}
    </>
  )
}
