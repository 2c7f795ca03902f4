// Longer than others: each rule of the table has one pair here that it answers.
import { describe, expect, test } from 'vitest'
import { INTERACTIONS } from './interactions'
import { warningLevel } from './warning'
import { allergy, drug, given, kindsOf, warningsOf } from '../../../../../test/safety-samples'

const MUST = 'must_not'
/** The pairs of the review that had no answer, and those of its second list, with the rule that answers now. */
const PAIRS = [
  ['nicorandil', 'sildenafil', 'nicorandil-pde5', MUST],
  ['clopidogrel', 'ritonavir', 'clopidogrel-booster', 'avoid'],
  ['ivabradine', 'amiodarone', 'ivabradine-qt', 'avoid'],
  ['cabergoline', 'quetiapine', 'dopamine-agonist-quetiapine', 'avoid'],
  ['estradiol', 'efavirenz', 'estradiol-lowered', 'caution'],
  ['alprazolam', 'efavirenz', 'alprazolam-efavirenz', 'caution'],
  ['midazolam', 'nevirapine', 'midazolam-nevirapine', 'caution'],
  ['oxycodone', 'efavirenz', 'oxycodone-nnrti', 'caution'],
  ['sertraline', 'rifampicin', 'sertraline-inducer', 'caution'],
  ['verapamil', 'diltiazem', 'verapamil-diltiazem', 'avoid'],
  ['lercanidipine', 'itraconazole', 'lercanidipine-never', MUST],
  ['riociguat', 'tadalafil', 'riociguat-pde5', MUST],
  ['riociguat', 'isosorbide dinitrate', 'riociguat-nitrate', MUST],
  ['riociguat', 'nicorandil', 'riociguat-nicorandil', MUST],
  ['repaglinide', 'gemfibrozil', 'repaglinide-gemfibrozil', MUST],
  ['ondansetron', 'apomorphine', 'ondansetron-apomorphine', MUST],
  ['warfarin', 'capecitabine', 'warfarin-capecitabine', 'caution'],
  ['apixaban', 'acetylsalicylic acid', 'doac-aspirin', 'caution'],
  ['quetiapine', 'clarithromycin', 'quetiapine-cyp3a4', 'avoid'],
  ['quetiapine', 'erythromycin', 'quetiapine-erythromycin', 'avoid'],
  ['warfarin', 'ibuprofen', 'warfarin-nsaid', 'avoid'],
  ['warfarin', 'metronidazole', 'warfarin-antimicrobial', 'avoid'],
  ['warfarin', 'clarithromycin', 'warfarin-macrolide', 'caution'],
  ['warfarin', 'fluconazole', 'warfarin-antimicrobial', 'avoid'],
  ['warfarin', 'sulfamethoxazole', 'warfarin-antimicrobial', 'avoid'],
  ['warfarin', 'acetylsalicylic acid', 'warfarin-aspirin', 'caution'],
  ['warfarin', 'ciprofloxacin', 'warfarin-macrolide', 'caution'],
  ['warfarin', 'amiodarone', 'warfarin-amiodarone', 'caution'],
  ['warfarin', 'carbamazepine', 'warfarin-inducer', 'caution'],
  ['warfarin', 'paracetamol', 'warfarin-paracetamol', 'caution'],
  ['enalapril', 'spironolactone', 'ras-potassium-sparing', 'caution'],
  ['eplerenone', 'clarithromycin', 'eplerenone-cyp3a4', MUST],
  ['ticagrelor', 'itraconazole', 'ticagrelor-cyp3a4', 'avoid'],
  ['ticagrelor', 'rifampicin', 'ticagrelor-inducer', 'avoid'],
  ['bosentan', 'glibenclamide', 'bosentan-forbidden', MUST],
  ['tranexamic acid', 'ethinylestradiol', 'tranexamic-contraceptive', MUST],
  ['enoxaparin', 'ketorolac', 'heparin-nsaid', 'avoid'],
  ['heparin', 'acetylsalicylic acid', 'heparin-aspirin', 'caution'],
  ['acenocoumarol', 'tamoxifen', 'warfarin-tamoxifen', 'avoid'],
  ['warfarin', 'fluorouracil', 'warfarin-fluorouracil', 'caution'],
  ['acitretin', 'methotrexate', 'acitretin-methotrexate', MUST],
  ['acitretin', 'retinol', 'acitretin-vitamin-a', MUST],
  ['ritonavir', 'flecainide', 'ritonavir-antiarrhythmic', MUST],
  ['tenofovir disoproxil', 'diclofenac', 'tenofovir-nsaid', 'caution'],
  ['tenofovir alafenamide', 'ibuprofen', 'tenofovir-nsaid', 'caution'],
  ['tenofovir alafenamide', 'rifampicin', 'tenofovir-alafenamide-inducer', 'avoid'],
  ['zidovudine', 'stavudine', 'zidovudine-antagonist', 'avoid'],
  ['griseofulvin', 'levonorgestrel', 'griseofulvin-contraceptive', 'avoid'],
  ['tadalafil', 'doxazosin', 'pde5-alpha', 'caution'],
  ['sildenafil', 'erythromycin', 'sildenafil-raised', 'avoid'],
  ['sildenafil', 'ritonavir', 'sildenafil-ritonavir', 'avoid'],
  ['tamsulosin', 'ketoconazole', 'tamsulosin-cyp3a4', 'caution'],
  ['chloroquine', 'magnesium hydroxide', 'chloroquine-antacid', 'caution'],
  ['codeine', 'paroxetine', 'codeine-cyp2d6', 'caution'],
  ['ciprofloxacin', 'gliclazide', 'quinolone-diabetes', 'caution'],
  ['warfarin', 'allopurinol', 'warfarin-simva-allopurinol', 'caution'],
  ['allopurinol', 'amoxicillin', 'allopurinol-aminopenicillin', 'caution'],
  ['prednisolone', 'acetylsalicylic acid', 'steroid-aspirin', 'caution'],
  ['cefpodoxime', 'ranitidine', 'cefalosporin-acid', 'caution'],
  ['repaglinide', 'clopidogrel', 'repaglinide-clopidogrel', MUST],
  ['levodopa', 'risperidone', 'levodopa-antipsychotic', 'avoid'],
  ['levodopa', 'isoniazid', 'levodopa-lowered', 'caution'],
  ['rilpivirine', 'carbamazepine', 'rilpivirine-inducer', MUST],
  ['rilpivirine', 'rifampicin', 'rilpivirine-inducer', MUST],
  ['edoxaban', 'rifampicin', 'edoxaban-inducer', 'avoid'],
  ['azathioprine', 'trimethoprim', 'thiopurine-trimethoprim', 'caution'],
  ['zidovudine', 'valproic acid', 'zidovudine-marrow', 'caution'],
  ['spironolactone', 'naproxen', 'potassium-sparing-nsaid', 'caution'],
  ['enalapril', 'potassium chloride', 'ras-potassium', 'caution'],
  ['enalapril', 'losartan', 'acei-arb', 'avoid'],
  ['enalapril', 'trimethoprim', 'ras-trimethoprim', 'avoid'],
  ['losartan', 'ibuprofen', 'ras-nsaid', 'caution'],
  ['losartan', 'aliskiren', 'ras-aliskiren', 'avoid'],
  ['enalapril', 'sacubitril', 'acei-sacubitril', MUST],
  ['spironolactone', 'trimethoprim', 'spironolactone-trimethoprim', 'avoid'],
  ['spironolactone', 'potassium chloride', 'potassium-sparing', 'avoid'],
  ['methotrexate', 'trimethoprim', 'methotrexate-trimethoprim', 'avoid'],
  ['methotrexate', 'sulfamethoxazole', 'methotrexate-sulfamethoxazole', 'avoid'],
  ['methotrexate', 'naproxen', 'methotrexate-nsaid', 'caution'],
  ['sildenafil', 'isosorbide dinitrate', 'nitrate-pde5', MUST],
  ['tadalafil', 'glyceryl trinitrate', 'nitrate-pde5', MUST],
  ['lithium', 'ibuprofen', 'lithium-nsaid', 'avoid'],
  ['lithium', 'hydrochlorothiazide', 'lithium-thiazide', 'avoid'],
  ['lithium', 'enalapril', 'lithium-ras', 'avoid'],
  ['lithium', 'furosemide', 'lithium-loop', 'caution'],
  ['diazepam', 'morphine', 'opioid-benzodiazepine', 'avoid'],
  ['zolpidem', 'oxycodone', 'opioid-benzodiazepine', 'avoid'],
  ['pregabalin', 'tramadol', 'opioid-gabapentinoid', 'caution'],
  ['tramadol', 'sertraline', 'ssri-tramadol', 'caution'],
  ['sertraline', 'ibuprofen', 'ssri-nsaid', 'caution'],
  ['digoxin', 'amiodarone', 'digoxin-raised', 'avoid'],
  ['digoxin', 'clarithromycin', 'digoxin-raised', 'avoid'],
  ['digoxin', 'verapamil', 'digoxin-raised', 'avoid'],
  ['digoxin', 'diltiazem', 'digoxin-diltiazem', 'caution'],
  ['verapamil', 'bisoprolol', 'betablocker-verapamil', 'avoid'],
  ['diltiazem', 'atenolol', 'betablocker-diltiazem', 'caution'],
  ['allopurinol', 'azathioprine', 'allopurinol-thiopurine', 'avoid'],
  ['allopurinol', 'mercaptopurine', 'allopurinol-thiopurine', 'avoid'],
  ['rifampicin', 'ethinylestradiol', 'inducer-contraceptive', 'avoid'],
  ['carbamazepine', 'levonorgestrel', 'inducer-contraceptive', 'avoid'],
  ['rifampicin', 'dolutegravir', 'inducer-dolutegravir', 'avoid'],
  ['rifampicin', 'warfarin', 'warfarin-rifampicin', 'avoid'],
  ['rifampicin', 'apixaban', 'inducer-xa', 'avoid'],
  ['rifampicin', 'artemether', 'inducer-artemether', MUST],
  ['rifampicin', 'praziquantel', 'inducer-praziquantel', MUST],
  ['rifampicin', 'sofosbuvir', 'inducer-sofosbuvir', MUST],
  ['rifampicin', 'nevirapine', 'rifampicin-arv', 'avoid'],
  ['rifapentine', 'atazanavir', 'inducer-protease', MUST],
  ['colchicine', 'clarithromycin', 'colchicine-cyp3a4', 'avoid'],
  ['glibenclamide', 'fluconazole', 'sulfonylurea-raised', 'caution'],
  ['tamoxifen', 'paroxetine', 'tamoxifen-cyp2d6', 'avoid'],
  ['dabigatran', 'rifampicin', 'dabigatran-inducer', 'avoid'],
  ['clozapine', 'ciprofloxacin', 'clozapine-cyp1a2', 'avoid'],
  ['clozapine', 'phenytoin', 'clozapine-inducer', 'avoid'],
  ['clozapine', 'carbamazepine', 'clozapine-marrow', MUST],
  ['fentanyl', 'clarithromycin', 'opioid-cyp3a4', 'avoid'],
  ['tacrolimus', 'fluconazole', 'tacrolimus-raised', 'avoid'],
  ['tacrolimus', 'rifampicin', 'tacrolimus-inducer', 'avoid'],
  ['warfarin', 'azithromycin', 'warfarin-azithromycin', 'caution'],
  ['metformin', 'cimetidine', 'metformin-cimetidine', 'caution'],
  ['phenytoin', 'carbamazepine', 'phenytoin-carbamazepine', 'caution'],
  ['gliclazide', 'sulfamethoxazole', 'sulfonylurea-raised', 'caution'],
  ['carbamazepine', 'erythromycin', 'carbamazepine-macrolide', 'avoid'],
  ['phenytoin', 'isoniazid', 'antiepileptic-isoniazid', 'caution'],
  ['phenytoin', 'fluconazole', 'antiepileptic-fluconazole', 'caution'],
  ['theophylline', 'ciprofloxacin', 'theophylline-ciprofloxacin', 'avoid'],
  ['theophylline', 'erythromycin', 'theophylline-erythromycin', 'avoid'],
  ['valproic acid', 'meropenem', 'valproate-carbapenem', 'avoid'],
  ['lamotrigine', 'valproic acid', 'lamotrigine-valproate', 'avoid'],
  ['sumatriptan', 'ergotamine', 'triptan-ergot', MUST],
  ['simvastatin', 'amiodarone', 'simvastatin-amiodarone', 'caution'],
  ['simvastatin', 'amlodipine', 'simvastatin-amiodarone', 'caution'],
  ['simvastatin', 'diltiazem', 'simvastatin-verapamil', 'caution'],
  ['clopidogrel', 'omeprazole', 'clopidogrel-omeprazole', 'avoid'],
  ['doxycycline', 'ferrous sulfate', 'chelation', 'caution'],
  ['levothyroxine', 'calcium carbonate', 'chelation', 'caution'],
  ['isotretinoin', 'doxycycline', 'isotretinoin-tetracycline', MUST],
  ['apixaban', 'ibuprofen', 'nsaid-doac', 'caution'],
  ['rivaroxaban', 'clarithromycin', 'inhibitor-xa', 'avoid'],
  ['levodopa', 'metoclopramide', 'levodopa-antagonist', 'avoid'],
  // the list of QT, and what was missing in the groups of the first fifteen
  ['amiodarone', 'azithromycin', 'qt-high-also', MUST],
  ['methadone', 'ciprofloxacin', 'qt-high-also', MUST],
  ['domperidone', 'fluconazole', 'qt-high-also', MUST],
  ['sotalol', 'citalopram', 'qt-high-known', MUST],
  ['citalopram', 'erythromycin', 'qt-qt', 'avoid'],
  ['escitalopram', 'levofloxacin', 'qt-qt', 'avoid'],
  ['azithromycin', 'ondansetron', 'qt-also', 'caution'],
  ['haloperidol', 'donepezil', 'qt-known-also', 'caution'],
  ['hydroxychloroquine', 'azithromycin', 'chloroquine-macrolide', 'avoid'],
  ['roxithromycin', 'sulpiride', 'qt-also', 'caution'],
  ['levomepromazine', 'haloperidol', 'qt-known-also', 'caution'],
  ['linezolid', 'trazodone', 'ssri-mao', MUST],
  ['linezolid', 'mirtazapine', 'ssri-mao', MUST],
  ['moclobemide', 'buspirone', 'ssri-mao', MUST],
  ['phenelzine', 'bupropion', 'bupropion-mao', MUST],
  ['phenelzine', 'ephedrine', 'sympathomimetic-mao', MUST],
  ['phenelzine', 'phenylephrine', 'sympathomimetic-mao', MUST],
  ['enzalutamide', 'praziquantel', 'inducer-praziquantel', MUST],
  ['rilpivirine', 'omeprazole', 'rilpivirine-ppi', MUST],
  ['domperidone', 'ketoconazole', 'domperidone-cyp3a4', MUST],
  ['gliclazide', 'miconazole', 'sulfonylurea-miconazole', MUST],
  ['sulfadoxine', 'sulfamethoxazole', 'sulfadoxine-cotrimoxazole', MUST],
  ['ketoconazole', 'methadone', 'ketoconazole-qt', MUST],
  ['quinine', 'erythromycin', 'quinine-qt', 'avoid'],
  ['mefloquine', 'quinine', 'mefloquine-quinine', 'avoid'],
  ['bedaquiline', 'moxifloxacin', 'bedaquiline-qt', 'avoid'],
  ['warfarin', 'sertraline', 'warfarin-ssri', 'caution'],
  ['warfarin', 'clopidogrel', 'warfarin-clopidogrel', 'avoid'],
  ['prednisolone', 'ibuprofen', 'steroid-nsaid', 'caution'],
  ['atorvastatin', 'clarithromycin', 'atorvastatin-clarithromycin', 'avoid'],
  ['simvastatin', 'fluconazole', 'statin-fluconazole', 'caution'],
  ['atorvastatin', 'erythromycin', 'atorvastatin-erythromycin', 'caution'],
  ['amitriptyline', 'fluoxetine', 'tricyclic-ssri', 'caution'],
  ['furosemide', 'ibuprofen', 'loop-nsaid', 'caution'],
  ['rifampicin', 'gliclazide', 'rifampicin-lowers', 'caution'],
  ['rifampicin', 'prednisolone', 'rifampicin-lowers', 'caution'],
  ['rifampicin', 'nifedipine', 'rifampicin-nifedipine', 'avoid'],
  ['dolutegravir', 'metformin', 'dolutegravir-metformin', 'caution'],
  ['imatinib', 'ketoconazole', 'imatinib-ketoconazole', 'caution'],
  ['cisplatin', 'gentamicin', 'gentamicin-nephrotoxic', 'avoid'],
  ['gentamicin', 'vancomycin', 'gentamicin-nephrotoxic', 'avoid'],
  ['gentamicin', 'ciclosporin', 'gentamicin-ciclosporin', 'avoid'],
  ['gentamicin', 'furosemide', 'gentamicin-furosemide', 'caution'],
  ['fentanyl', 'rifampicin', 'fentanyl-rifampicin', 'caution'],
  // by mechanism and class, from labels that were read for them (2026-11-30)
  ['dabigatran', 'verapamil', 'dabigatran-raised', 'caution'],
  ['dabigatran', 'ketoconazole', 'dabigatran-forbidden', MUST],
  ['methotrexate', 'amoxicillin', 'methotrexate-raised', 'caution'],
  ['digoxin', 'furosemide', 'digoxin-potassium', 'caution'],
  ['digoxin', 'azithromycin', 'digoxin-raised-also', 'caution'],
  ['digoxin', 'aluminium hydroxide', 'digoxin-lowered', 'caution'],
  ['digoxin', 'propranolol', 'digoxin-betablocker', 'caution'],
  ['tramadol', 'clomipramine', 'tramadol-serotonergic', 'caution'],
  ['tramadol', 'carbamazepine', 'tramadol-carbamazepine', 'avoid'],
  ['tramadol', 'rifampicin', 'tramadol-inducer', 'caution'],
  ['methadone', 'rifampicin', 'methadone-inducer', 'avoid'],
  ['methadone', 'efavirenz', 'methadone-nnrti', 'caution'],
  ['lamotrigine', 'ethinylestradiol', 'lamotrigine-lowered', 'caution'],
  ['theophylline', 'clarithromycin', 'theophylline-raised', 'avoid'],
  ['theophylline', 'allopurinol', 'theophylline-allopurinol', 'caution'],
  ['theophylline', 'rifampicin', 'theophylline-lowered', 'caution'],
  ['bedaquiline', 'rifampicin', 'bedaquiline-inducer', 'avoid'],
  ['ciclosporin', 'fluconazole', 'ciclosporin-raised', 'avoid'],
  ['ciclosporin', 'rifampicin', 'ciclosporin-inducer', 'avoid'],
  ['midazolam', 'ketoconazole', 'benzodiazepine-azole', MUST],
  ['metronidazole', 'disulfiram', 'metronidazole-disulfiram', 'avoid'],
  ['lithium', 'metronidazole', 'lithium-metronidazole', 'caution'],
  ['clonidine', 'propranolol', 'clonidine-betablocker', 'caution'],
  ['levothyroxine', 'rifampicin', 'levothyroxine-inducer', 'caution'],
  ['levothyroxine', 'omeprazole', 'levothyroxine-ppi', 'caution'],
  ['levothyroxine', 'sucralfate', 'levothyroxine-binder', 'caution'],
  ['warfarin', 'levothyroxine', 'warfarin-levothyroxine', 'caution'],
  ['propranolol', 'insulin', 'betablocker-insulin', 'caution'],
  ['propranolol', 'salbutamol', 'betablocker-betaagonist', 'avoid'],
  ['acetylsalicylic acid', 'fluoxetine', 'aspirin-ssri', 'caution'],
  ['ibuprofen', 'venlafaxine', 'snri-nsaid', 'caution'],
  ['clopidogrel', 'ibuprofen', 'clopidogrel-nsaid', 'caution'],
  ['clopidogrel', 'fluoxetine', 'clopidogrel-ssri', 'caution'],
  ['hydrochlorothiazide', 'ibuprofen', 'thiazide-nsaid', 'caution'],
  ['prednisolone', 'metformin', 'steroid-diabetes', 'caution'],
  ['prednisolone', 'hydrochlorothiazide', 'steroid-diuretic', 'caution'],
  ['hydrochlorothiazide', 'carbamazepine', 'thiazide-sodium', 'caution'],
  ['hydrochlorothiazide', 'calcium carbonate', 'thiazide-calcium', 'caution'],
  ['metoprolol', 'fluoxetine', 'metoprolol-cyp2d6', 'caution'],
  ['amlodipine', 'clarithromycin', 'ccb-raised', 'caution'],
  ['amlodipine', 'rifampicin', 'ccb-inducer', 'caution'],
  ['carbamazepine', 'verapamil', 'carbamazepine-raised', 'caution'],
  ['carbamazepine', 'risperidone', 'aed-lowers', 'caution'],
  ['valproic acid', 'carbamazepine', 'valproate-aed', 'caution'],
  ['phenytoin', 'amiodarone', 'phenytoin-raised', 'caution'],
  ['phenytoin', 'folic acid', 'phenytoin-lowered', 'caution'],
  ['amitriptyline', 'chlorphenamine', 'tricyclic-anticholinergic', 'caution'],
  ['metoclopramide', 'haloperidol', 'metoclopramide-antipsychotic', 'avoid'],
  ['metoclopramide', 'butylscopolamine', 'metoclopramide-anticholinergic', 'caution'],
  ['codeine', 'promethazine', 'opioid-sedative', 'caution'],
  ['alendronic acid', 'ibuprofen', 'bisphosphonate-nsaid', 'caution'],
  ['itraconazole', 'omeprazole', 'azole-acid', 'caution'],
  ['rifampicin', 'aluminium hydroxide', 'rifampicin-antacid', 'caution'],
  ['ferrous sulfate', 'levodopa', 'iron-bound', 'caution'],
  ['rifampicin', 'dapsone', 'rifampicin-lowers-also', 'caution'],
  ['quinine', 'carbamazepine', 'quinine-inducer', 'caution'],
  ['atorvastatin', 'itraconazole', 'atorvastatin-raised', 'avoid'],
  ['atorvastatin', 'verapamil', 'atorvastatin-ccb', 'caution'],
  ['atorvastatin', 'gemfibrozil', 'statin-gemfibrozil', 'avoid'],
  ['simvastatin', 'fenofibrate', 'statin-fibrate', 'caution'],
  ['atorvastatin', 'ciclosporin', 'statin-ciclosporin', 'avoid'],
  ['simvastatin', 'colchicine', 'statin-colchicine', 'caution'],
  ['colchicine', 'diltiazem', 'colchicine-raised', 'caution'],
  ['colchicine', 'verapamil', 'colchicine-against', 'avoid'],
  ['levofloxacin', 'dexamethasone', 'quinolone-steroid', 'caution'],
  ['mefloquine', 'valproic acid', 'mefloquine-antiepileptic', 'avoid'],
  ['mefloquine', 'halofantrine', 'mefloquine-halofantrine', MUST],
  ['mefloquine', 'propranolol', 'mefloquine-heart', 'caution'],
  ['warfarin', 'amoxicillin', 'warfarin-other-antimicrobial', 'caution'],
  ['warfarin', 'griseofulvin', 'warfarin-griseofulvin', 'caution'],
  ['warfarin', 'gemfibrozil', 'warfarin-fibrate', 'caution'],
  ['warfarin', 'tramadol', 'warfarin-tramadol', 'caution'],
  ['sumatriptan', 'fluoxetine', 'triptan-ssri', 'caution'],
  ['nevirapine', 'ketoconazole', 'nevirapine-azole', 'avoid'],
  ['nevirapine', 'fluconazole', 'nevirapine-fluconazole', 'caution'],
  ['artemether', 'quinine', 'artemether-quinine', 'avoid'],
  ['artemether', 'chloroquine', 'artemether-qt', 'avoid'],
  ['artemether', 'efavirenz', 'artemether-nnrti', 'caution'],
  ['lumefantrine', 'efavirenz', 'lumefantrine-nnrti', 'caution'],
  ['quinine', 'efavirenz', 'quinine-nnrti', 'caution'],
  ['fluticasone', 'ritonavir', 'inhaled-steroid', 'avoid'],
  ['risperidone', 'fluoxetine', 'antipsychotic-2d6', 'caution'],
  ['olanzapine', 'fluvoxamine', 'antipsychotic-fluvoxamine', 'caution'],
  ['diazepam', 'promethazine', 'benzodiazepine-sedative', 'caution'],
  ['diazepam', 'clarithromycin', 'benzodiazepine-raised', 'caution'],
  ['simvastatin', 'fusidic acid', 'statin-fusidic', MUST],
  ['ivabradine', 'ketoconazole', 'ivabradine-cyp3a4', MUST],
  ['amikacin', 'furosemide', 'aminoglycoside-furosemide', 'caution'],
  ['salmeterol', 'ritonavir', 'salmeterol-ritonavir', 'avoid'],
  // graver than their class
  ['rosuvastatin', 'ciclosporin', 'rosuvastatin-ciclosporin', MUST],
  ['pitavastatin', 'ciclosporin', 'rosuvastatin-ciclosporin', MUST],
  ['voriconazole', 'rifampicin', 'voriconazole-inducer', MUST],
  ['voriconazole', 'carbamazepine', 'voriconazole-inducer', MUST],
  ['voriconazole', 'phenobarbital', 'voriconazole-inducer', MUST],
  ['midazolam', 'ritonavir', 'ritonavir-midazolam', MUST],
  ['triazolam', 'ritonavir', 'ritonavir-midazolam', MUST],
  ['felodipine', 'itraconazole', 'felodipine-cyp3a4', 'avoid'],
  ['nimodipine', 'clarithromycin', 'nimodipine-cyp3a4', MUST],
  ['nimodipine', 'ritonavir', 'nimodipine-cyp3a4', MUST],
  ['colchicine', 'ciclosporin', 'colchicine-ciclosporin', 'avoid'],
  ['atovaquone', 'rifampicin', 'rifampicin-atovaquone', 'avoid'],
  ['itraconazole', 'rifampicin', 'azole-inducer', 'avoid'],
  ['itraconazole', 'carbamazepine', 'azole-inducer', 'avoid'],
  ['methotrexate', 'pyrimethamine', 'methotrexate-antifolate', 'avoid'],
  ['methotrexate', 'sulfadoxine', 'methotrexate-antifolate', 'avoid'],
  ['methotrexate', 'dapsone', 'methotrexate-antifolate', 'avoid'],
  ['alendronic acid', 'calcium carbonate', 'bisphosphonate-cations', 'caution'],
  ['ciprofloxacin', 'sucralfate', 'chelation', 'caution'],
  ['warfarin', "st john's wort", 'warfarin-wort', 'caution'],
  // the fifteen
  ['methylphenidate', 'phenelzine', 'amphetamine-mao', MUST],
  ['atazanavir', 'omeprazole', 'atazanavir-ppi', MUST],
  ['febuxostat', 'azathioprine', 'febuxostat-thiopurine', MUST],
  ['fluoxetine', 'linezolid', 'ssri-mao', MUST],
  ['irinotecan', 'ketoconazole', 'irinotecan-cyp3a4', MUST],
  ['tramadol', 'moclobemide', 'opioid-mao', MUST],
  ['amitriptyline', 'tranylcypromine', 'tricyclic-mao', MUST],
  ['haloperidol', 'erythromycin', 'qt-qt', 'avoid'],
  ['ramelteon', 'fluvoxamine', 'ramelteon-cyp1a2', MUST],
  ['rifampicin', 'lopinavir', 'inducer-protease', MUST],
  ['simvastatin', 'clarithromycin', 'statin-cyp3a4', MUST],
  ['ergotamine', 'erythromycin', 'ergot-cyp3a4', MUST],
  ['tizanidine', 'ciprofloxacin', 'tizanidine-cyp1a2', MUST],
  ['tranylcypromine', 'procarbazine', 'tranylcypromine-procarbazine', MUST],
  ['sumatriptan', 'moclobemide', 'triptan-mao', MUST],
  ['morphine', 'nalbuphine', 'opioid-partial', MUST],
  ['morphine', 'buprenorphine', 'opioid-buprenorphine', 'avoid'],
  ['tramadol', 'buprenorphine', 'weak-opioid-partial', 'avoid'],
  ['naltrexone', 'codeine', 'opioid-naltrexone', MUST],
  ['flecainide', 'propafenone', 'antiarrhythmic-two', 'avoid'],
  ['amiodarone', 'verapamil', 'amiodarone-ccb', 'avoid'],
  ['amiodarone', 'bisoprolol', 'amiodarone-betablocker', 'caution'],
  ['propafenone', 'atenolol', 'propafenone-betablocker', 'caution'],
  ['flecainide', 'verapamil', 'flecainide-ccb', 'avoid'],
  ['quinidine', 'verapamil', 'quinidine-verapamil', 'avoid'],
  ['dantrolene', 'verapamil', 'dantrolene-ccb', 'avoid'],
  ['diltiazem', 'nifedipine', 'diltiazem-nifedipine', 'avoid'],
  ['tolterodine', 'clarithromycin', 'bladder-cyp3a4', 'avoid'],
  ['solifenacin', 'clarithromycin', 'solifenacin-cyp3a4', 'caution'],
  ['buspirone', 'itraconazole', 'buspirone-cyp3a4', 'avoid'],
  ['carvedilol', 'cimetidine', 'carvedilol-cimetidine', 'avoid'],
  ['isotretinoin', 'retinol', 'retinoid-vitamin-a', MUST],
  ['doxycycline', 'retinol', 'tetracycline-vitamin-a', 'caution'],
  ["st john's wort", 'digoxin', 'wort-lowers', MUST],
  ["st john's wort", 'quetiapine', 'wort-lowers-less', 'avoid'],
  ["st john's wort", 'sertraline', 'wort-serotonin', 'caution'],
  ["st john's wort", 'levothyroxine', 'wort-levothyroxine', 'avoid'],
  ['rilpivirine', 'dexamethasone', 'rilpivirine-dexamethasone', MUST],
  ['pimozide', 'sertraline', 'pimozide-raised', MUST],
  ['spironolactone', 'amiloride', 'potassium-sparing-two', MUST],
  ['pramipexole', 'metoclopramide', 'dopamine-agonist-blocker', 'avoid'],
  ['dronedarone', 'telithromycin', 'dronedarone-cyp3a4', MUST],
  ['dronedarone', 'rifampicin', 'dronedarone-inducer', 'avoid'],
  ['dronedarone', 'tacrolimus', 'dronedarone-calcineurin', 'avoid'],
  ['dronedarone', 'ciclosporin', 'dronedarone-ciclosporin', MUST],
  ['duloxetine', 'ciprofloxacin', 'duloxetine-cyp1a2', MUST],
  ['fenofibrate', 'gemfibrozil', 'fibrate-two', MUST],
  ['moclobemide', 'selegiline', 'mao-two', MUST],
  ['phenelzine', 'entacapone', 'mao-entacapone', MUST],
  ['tranylcypromine', 'levodopa', 'mao-levodopa', MUST],
  ['phenelzine', 'carbamazepine', 'mao-carbamazepine', MUST],
  ['phenelzine', 'methyldopa', 'mao-methyldopa', MUST],
  ['eletriptan', 'moclobemide', 'triptan-other-mao', 'avoid'],
  ['eletriptan', 'clarithromycin', 'eletriptan-cyp3a4', MUST],
  ['rizatriptan', 'propranolol', 'rizatriptan-propranolol', 'caution'],
  ['tadalafil', 'ritonavir', 'pde5-cyp3a4', 'avoid'],
  ['sildenafil', 'darunavir', 'sildenafil-cyp3a4', 'avoid'],
  ['quinidine', 'lopinavir', 'antiarrhythmic-hiv', 'avoid'],
  ['itraconazole', 'quinidine', 'azole-qt', MUST],
  ['itraconazole', 'methadone', 'itraconazole-methadone', MUST],
  ['voriconazole', 'methadone', 'azole-methadone', 'avoid'],
  ['fluconazole', 'erythromycin', 'fluconazole-qt', MUST],
  ['ranolazine', 'clarithromycin', 'ranolazine-cyp3a4', MUST],
  ['ranolazine', 'erythromycin', 'ranolazine-erythromycin', 'caution'],
  ['ranolazine', 'rifampicin', 'ranolazine-inducer', MUST],
  ['pseudoephedrine', 'phenylephrine', 'decongestant-two', 'avoid'],
  ['ergotamine', 'pseudoephedrine', 'ergot-sympathomimetic', 'avoid'],
  ['bromocriptine', 'methylergometrine', 'ergot-two', 'avoid'],
  ['cabergoline', 'erythromycin', 'bromocriptine-macrolide', 'avoid'],
  ['ergotamine', 'propranolol', 'ergot-propranolol', 'caution'],
  ['rivaroxaban', 'fluconazole', 'xa-raised-moderate', 'caution'],
  ['edoxaban', 'erythromycin', 'edoxaban-raised', 'caution'],
  ['apixaban', 'imatinib', 'anticoagulant-imatinib', 'avoid'],
  ['warfarin', 'cimetidine', 'warfarin-raised-more', 'caution'],
  ['warfarin', 'efavirenz', 'warfarin-changed', 'caution'],
  ['ciclosporin', 'spironolactone', 'calcineurin-potassium', 'avoid'],
  ['tacrolimus', 'darunavir', 'calcineurin-raised-more', 'avoid'],
  ['tacrolimus', 'efavirenz', 'calcineurin-lowered-more', 'caution'],
  ['ciclosporin', 'ezetimibe', 'ciclosporin-others', 'caution'],
  ['ciclosporin', 'fenofibrate', 'ciclosporin-kidney', 'caution'],
  ['ciclosporin', 'orlistat', 'ciclosporin-lowered-more', 'caution'],
  ['tacrolimus', 'ibuprofen', 'calcineurin-nsaid', 'caution'],
  ['cisplatin', 'amphotericin b', 'kidney-two', 'avoid'],
  ['ciclosporin', 'colistin', 'kidney-calcineurin', 'avoid'],
  ['ciclosporin', 'tacrolimus', 'calcineurin-two', 'avoid'],
  ['amikacin', 'amphotericin b', 'aminoglycoside-kidney', 'avoid'],
  ['amikacin', 'tacrolimus', 'aminoglycoside-calcineurin', 'avoid'],
  ['gentamicin', 'bumetanide', 'aminoglycoside-loop', 'caution'],
  ['gentamicin', 'amikacin', 'aminoglycoside-two', 'avoid'],
  ['vancomycin', 'piperacillin', 'vancomycin-piperacillin', 'caution'],
  ['tenofovir', 'amphotericin b', 'tenofovir-kidney', 'caution'],
  ['tenofovir', 'ciclosporin', 'tenofovir-calcineurin', 'caution'],
  ['vecuronium', 'gentamicin', 'relaxant-longer', 'caution'],
  ['lithium', 'haloperidol', 'lithium-nerves', 'caution'],
  ['lithium', 'fluoxetine', 'lithium-serotonin', 'caution'],
  ['lithium', 'theophylline', 'lithium-lowered', 'caution'],
  ['lithium', 'topiramate', 'lithium-more', 'caution'],
  ['clozapine', 'chloramphenicol', 'clozapine-marrow', MUST],
  ['clozapine', 'azathioprine', 'clozapine-cytotoxic', 'avoid'],
  ['clozapine', 'fluoxetine', 'clozapine-raised-more', 'caution'],
  ['cisplatin', 'phenytoin', 'cytotoxic-phenytoin', 'avoid'],
  ['imatinib', 'rifampicin', 'cancer-inducer', 'avoid'],
  ['vincristine', 'itraconazole', 'vinca-raised', 'avoid'],
  ['docetaxel', 'clarithromycin', 'cancer-raised', 'caution'],
  ['atazanavir', 'efavirenz', 'atazanavir-lowered', 'avoid'],
  ['bictegravir', "st john's wort", 'bictegravir-rifampicin', MUST],
  ['bictegravir', 'carbamazepine', 'bictegravir-inducer', 'avoid'],
  ['bictegravir', 'atazanavir', 'bictegravir-atazanavir', 'avoid'],
  ['cobicistat', 'carbamazepine', 'cobicistat-inducer', MUST],
  ['cobicistat', 'amiodarone', 'cobicistat-antiarrhythmic', MUST],
  ['velpatasvir', 'rifampicin', 'velpatasvir-inducer', MUST],
  ['velpatasvir', 'etravirine', 'velpatasvir-nnrti', 'avoid'],
  ['efavirenz', 'amodiaquine', 'efavirenz-amodiaquine', MUST],
  ['cisapride', 'darunavir', 'cisapride-hiv', MUST],
  ['cisapride', 'efavirenz', 'cisapride-efavirenz', MUST],
  ['dextropropoxyphene', 'lopinavir', 'dextropropoxyphene-hiv', MUST],
  ['ziprasidone', 'atazanavir', 'ziprasidone-hiv', 'avoid'],
  ['ivabradine', 'darunavir', 'ivabradine-cyp3a4', MUST],
  ['daclatasvir', 'carbamazepine', 'daclatasvir-inducer', MUST],
  ['daclatasvir', 'rifapentine', 'daclatasvir-rifapentine', MUST],
  ['rilpivirine', 'rifabutin', 'rilpivirine-rifabutin', 'avoid'],
  ['etravirine', 'rifapentine', 'etravirine-rifapentine', MUST],
  ['etravirine', 'nevirapine', 'etravirine-nevirapine', 'avoid'],
  ['hydroxycarbamide', 'stavudine', 'hydroxycarbamide-stavudine', 'avoid'],
  ['ciclosporin', 'losartan', 'ciclosporin-ras', 'caution'],
  ['velpatasvir', 'efavirenz', 'velpatasvir-efavirenz', 'avoid'],
  ['delamanid', 'rifampicin', 'delamanid-inducer', MUST],
  ['bedaquiline', 'chloroquine', 'tb-qt', 'avoid'],
  ['bedaquiline', 'ritonavir', 'qt-cyp3a4', 'avoid'],
  ['quinine', 'ritonavir', 'quinine-cyp3a4', 'avoid'],
  ['didanosine', 'tenofovir', 'didanosine', 'avoid'],
  ['didanosine', 'stavudine', 'didanosine-never', MUST],
  ['stavudine', 'isoniazid', 'stavudine-isoniazid', 'caution'],
  ['stavudine', 'ribavirin', 'stavudine-ribavirin', 'avoid'],
  ['lamivudine', 'emtricitabine', 'lamivudine-emtricitabine', 'avoid'],
  ['azathioprine', 'ribavirin', 'thiopurine-ribavirin', 'avoid'],
  ['atovaquone', 'efavirenz', 'atovaquone-lowered', 'avoid'],
  ['ritonavir', 'rosuvastatin', 'hiv-raises', 'caution'],
  ['ritonavir', 'methadone', 'hiv-lowers', 'caution'],
  ['lopinavir', 'lamotrigine', 'hiv-lowers', 'caution'],
  ['lopinavir', 'voriconazole', 'hiv-voriconazole', 'avoid'],
  ['voriconazole', 'efavirenz', 'voriconazole-efavirenz', 'avoid'],
  ['voriconazole', 'nevirapine', 'voriconazole-nevirapine', 'avoid'],
  ['ritonavir', 'ethinylestradiol', 'hiv-contraceptive', 'caution'],
  ['dienogest', 'rifampicin', 'dienogest-inducer', 'avoid'],
  ['bosentan', 'levonorgestrel', 'bosentan-contraceptive', 'avoid'],
  ['bosentan', 'rifampicin', 'bosentan-inducer', 'avoid'],
  ['bosentan', 'ketoconazole', 'bosentan-cyp3a4', 'caution'],
  ['ulipristal', 'levonorgestrel', 'ulipristal-progestogen', 'caution'],
  ['midazolam', 'lopinavir', 'midazolam-hiv', MUST],
  ['triamcinolone', 'ritonavir', 'steroid-cyp3a4-more', 'avoid'],
  ['salmeterol', 'cobicistat', 'salmeterol-hiv', 'avoid'],
  ['bictegravir', 'calcium carbonate', 'integrase-cations', 'caution'],
  ['bictegravir', 'aluminium hydroxide', 'bictegravir-antacids', 'caution'],
  ['raltegravir', 'aluminium hydroxide', 'raltegravir-antacid', 'avoid'],
  ['rifampicin', 'posaconazole', 'rifampicin-never', 'avoid'],
  ['rifampicin', 'raltegravir', 'rifampicin-raltegravir', 'caution'],
  ['rifampicin', 'metronidazole', 'rifampicin-lowers-more', 'caution'],
  ['rifabutin', 'clarithromycin', 'rifabutin-raised', 'caution'],
  ['rifabutin', 'voriconazole', 'rifabutin-voriconazole', MUST],
  ['rifabutin', 'itraconazole', 'rifabutin-azole', 'avoid'],
  ['rifabutin', 'darunavir', 'rifabutin-protease', 'caution'],
  ['isoniazid', 'disulfiram', 'isoniazid-disulfiram', 'avoid'],
  ['isoniazid', 'ketoconazole', 'isoniazid-ketoconazole', 'caution'],
  ['digoxin', 'quinine', 'digoxin-raised-more', 'caution'],
  ['digoxin', 'prednisolone', 'digoxin-steroid', 'caution'],
  ['levothyroxine', 'chloroquine', 'levothyroxine-changed', 'caution'],
  ['pyrimethamine', 'trimethoprim', 'antifolate-two', 'caution'],
  ['dapsone', 'zidovudine', 'dapsone-zidovudine', 'caution'],
  ['valproic acid', 'topiramate', 'valproate-ammonia', 'caution'],
  ['valproic acid', 'rufinamide', 'valproate-aztreonam', 'caution'],
  ['carbamazepine', 'topiramate', 'carbamazepine-topiramate', 'caution'],
  ['carbamazepine', 'albendazole', 'aed-lowers-more', 'caution'],
  ['phenytoin', 'fluvoxamine', 'phenytoin-raised-more', 'caution'],
  ['chlorphenamine', 'phenobarbital', 'antihistamine-sedative', 'caution'],
  ['diazepam', 'baclofen', 'benzodiazepine-more', 'caution'],
  ['clopidogrel', 'fluconazole', 'clopidogrel-2c19', 'caution'],
  ['sotalol', 'furosemide', 'qt-potassium', 'caution'],
  ['amphotericin b', 'prednisolone', 'amphotericin-potassium', 'caution'],
  ['donepezil', 'bisoprolol', 'dementia-betablocker', 'caution'],
  ['donepezil', 'oxybutynin', 'dementia-anticholinergic', 'caution'],
  ['alfuzosin', 'ketoconazole', 'alpha-cyp3a4', MUST],
  ['alfuzosin', 'erythromycin', 'alpha-erythromycin', 'caution'],
  ['clonidine', 'amitriptyline', 'clonidine-tricyclic', 'avoid'],
  ['methyldopa', 'levodopa', 'methyldopa-levodopa', 'caution'],
  ['aliskiren', 'ciclosporin', 'aliskiren-raised', MUST],
  ['danazol', 'glibenclamide', 'sugar-against', 'caution'],
  ['octreotide', 'insulin', 'octreotide-diabetes', 'caution'],
  ['glibenclamide', 'chloramphenicol', 'sulfonylurea-raised-more', 'caution'],
  ['repaglinide', 'trimethoprim', 'repaglinide-raised', 'avoid'],
  ['pioglitazone', 'gemfibrozil', 'pioglitazone-gemfibrozil', 'avoid'],
  ['linezolid', 'insulin human', 'linezolid-diabetes', 'caution'],
  ['tamoxifen', 'duloxetine', 'opioid-2d6', 'avoid'],
  ['tramadol', 'terbinafine', 'tramadol-2d6', 'avoid'],
  ['tramadol', 'duloxetine', 'ssri-tramadol', 'caution'],
  ['tramadol', 'bupropion', 'tramadol-bupropion', 'avoid'],
  ['flecainide', 'paroxetine', 'cyp2d6-more', 'caution'],
  ['metoprolol', 'duloxetine', 'metoprolol-cyp2d6-more', 'caution'],
  ['nortriptyline', 'bupropion', 'tricyclic-bupropion', 'caution'],
  ['thioridazine', 'propranolol', 'thioridazine-raised', MUST],
  ['pravastatin', 'clarithromycin', 'pravastatin-macrolide', 'caution'],
  ['simvastatin', 'ranolazine', 'simvastatin-more', 'caution'],
  ['simvastatin', 'efavirenz', 'statin-inducer', 'caution'],
  ['atorvastatin', 'cobicistat', 'atorvastatin-cobicistat', 'avoid'],
  ['colchicine', 'fenofibrate', 'colchicine-fibrate', 'caution'],
  ['colchicine', 'azithromycin', 'colchicine-macrolide', 'avoid'],
  ['ezetimibe', 'gemfibrozil', 'ezetimibe-fibrate', 'avoid'],
  ['ethambutol', 'aluminium hydroxide', 'antacid-lowers', 'caution'],
  ['sulpiride', 'sucralfate', 'sucralfate-lowers', 'caution'],
  ['velpatasvir', 'omeprazole', 'acid-antiviral', 'avoid'],
  ['posaconazole', 'famotidine', 'acid-h2', 'avoid'],
  ['rilpivirine', 'famotidine', 'rilpivirine-h2', 'caution'],
  ['citalopram', 'omeprazole', 'citalopram-raised', 'caution'],
  ['cimetidine', 'nifedipine', 'cimetidine-raises', 'caution'],
  ['ketorolac', 'probenecid', 'ketorolac-probenecid', MUST],
  ['imipenem', 'ganciclovir', 'imipenem-ganciclovir', 'avoid'],
  ['penicillamine', 'chloroquine', 'penicillamine', 'avoid'],
  ['theophylline', 'fluconazole', 'theophylline-more', 'caution'],
  ['theophylline', 'ritonavir', 'theophylline-hiv', 'caution'],
  ['zolpidem', 'ketoconazole', 'zolpidem-azole', 'caution'],
  ['eszopiclone', 'clarithromycin', 'eszopiclone-cyp3a4', 'avoid'],
  ['aripiprazole', 'itraconazole', 'antipsychotic-3a4', 'caution'],
  ['epinephrine', 'amitriptyline', 'vasopressor', 'caution'],
  ['halothane', 'epinephrine', 'anaesthetic-pressor', 'caution'],
  ['doxorubicin', 'trastuzumab', 'anthracycline-trastuzumab', 'avoid'],
  ['methotrexate', 'ciprofloxacin', 'methotrexate-ciprofloxacin', 'avoid'],
  ['acetylsalicylic acid', 'acetazolamide', 'aspirin-acetazolamide', 'caution'],
  ['acetylsalicylic acid', 'probenecid', 'aspirin-probenecid', 'avoid'],
  ['nicorandil', 'diclofenac', 'nicorandil-nsaid', 'caution'],
  ['apixaban', 'prednisolone', 'doac-steroid', 'caution'],
  ['trimethoprim', 'potassium chloride', 'trimethoprim-potassium', 'avoid'],
  ['efavirenz', 'itraconazole', 'efavirenz-lowers', 'caution'],
  ['maraviroc', 'clarithromycin', 'maraviroc-raised', 'caution'],
  ['maraviroc', 'darunavir', 'maraviroc-raised', 'caution'],
  ['riociguat', 'ketoconazole', 'riociguat-cyp3a4', 'avoid'],
  ['praziquantel', 'dexamethasone', 'praziquantel-dexamethasone', 'caution'],
  ['ivabradine', 'voriconazole', 'ivabradine-more', MUST],
  ['ropinirole', 'ciprofloxacin', 'ropinirole-cyp1a2', 'caution'],
  ['fluvoxamine', 'propranolol', 'fluvoxamine-raises', 'caution'],
  ['allopurinol', 'captopril', 'allopurinol-captopril', 'caution'],
  ['allopurinol', 'perindopril', 'allopurinol-ace', 'caution'],
  ['rivaroxaban', 'clopidogrel', 'doac-p2y12', 'caution'],
  ['cisapride', 'amitriptyline', 'cisapride-tricyclic', MUST],
  ['pimozide', 'imipramine', 'pimozide-tricyclic', MUST],
  ['dofetilide', 'verapamil', 'dofetilide-raised', MUST],
  ['dasatinib', 'famotidine', 'kinase-acid', 'avoid'],
  ['colestyramine', 'atorvastatin', 'resin-lowers', 'caution'],
  ['rifampicin', 'phenobarbital', 'rifampicin-antiepileptic', 'caution'],
  ['lovastatin', 'diltiazem', 'lovastatin-ccb', 'caution'],
  ['rifabutin', 'clomipramine', 'rifamycins-lower', 'caution'],
  ['quinidine', 'diltiazem', 'quinidine-ccb', 'caution'],
  ['buspirone', 'verapamil', 'buspirone-ccb', 'caution'],
  ['phenytoin', 'diazepam', 'phenytoin-diazepam', 'caution'],
  ['tapentadol', 'sumatriptan', 'tapentadol-triptan', 'caution'],
  ['ziprasidone', 'tamoxifen', 'ziprasidone-qt', 'caution'],
  ['amiodarone', 'sofosbuvir', 'amiodarone-sofosbuvir', 'avoid'],
  ['everolimus', 'clarithromycin', 'mtor-raised', 'avoid'],
  ['sirolimus', 'rifampicin', 'mtor-lowered', 'avoid'],
  ['glecaprevir', 'atorvastatin', 'glecaprevir-never', MUST],
  ['glecaprevir', 'darunavir', 'glecaprevir-not', 'avoid'],
  ['pibrentasvir', 'rifampicin', 'glecaprevir-inducer', MUST],
  ['ledipasvir', 'rifampicin', 'ledipasvir-inducer', MUST],
  ['ledipasvir', 'pravastatin', 'ledipasvir-statin', 'caution'],
  ['ledipasvir', 'rosuvastatin', 'ledipasvir-rosuvastatin', MUST],
  ['cyproterone', 'rifampicin', 'cyproterone-inducer', 'avoid'],
  ['aprepitant', 'rifampicin', 'aprepitant-inducer', 'avoid'],
  ['aprepitant', 'levonorgestrel', 'aprepitant-contraceptive', 'avoid'],
  ['vardenafil', 'ritonavir', 'vardenafil-hiv', MUST],
  ['avanafil', 'clarithromycin', 'avanafil-cyp3a4', MUST],
  ['ciclosporin', 'diltiazem', 'calcineurin-ccb', 'caution'],
  ['tacrolimus', 'verapamil', 'calcineurin-ccb', 'caution'],
  ['dolutegravir', 'nevirapine', 'dolutegravir-nnrti', 'caution'],
  ['busulfan', 'metronidazole', 'busulfan-raised', 'avoid'],
  ['methotrexate', 'leflunomide', 'methotrexate-leflunomide', 'avoid'],
  ['clindamycin', 'erythromycin', 'clindamycin-erythromycin', 'avoid'],
  ['epinephrine', 'propranolol', 'epinephrine-betablocker', 'caution'],
  ['ritonavir', 'pethidine', 'ritonavir-never', MUST],
  ['digoxin', 'suxamethonium', 'digoxin-suxamethonium', 'caution'],
  ['ciclosporin', 'nifedipine', 'ciclosporin-nifedipine', 'caution'],
  ['amitriptyline', 'fluconazole', 'tricyclic-raised', 'caution'],
  ['prednisolone', 'ritonavir', 'steroid-hiv', 'caution'],
  ['letrozole', 'estradiol', 'aromatase-oestrogen', 'avoid'],
  ['bisoprolol', 'ibuprofen', 'betablocker-nsaid', 'caution'],
  ['valproic acid', 'amitriptyline', 'valproate-tricyclic', 'caution'],
  ['neostigmine', 'hydrocortisone', 'cholinesterase-steroid', 'caution'],
  ['potassium chloride', 'oxybutynin', 'potassium-anticholinergic', 'avoid'],
  ['morphine', 'phenelzine', 'opioid-other-mao', 'avoid'],
  ['oxycodone', 'linezolid', 'oxycodone-linezolid', 'caution'],
  ['quetiapine', 'methadone', 'quetiapine-methadone', 'avoid'],
  ['quetiapine', 'amiodarone', 'quetiapine-qt-high', 'avoid'],
  ['quetiapine', 'moxifloxacin', 'quetiapine-qt-known', 'caution'],
  ['amitriptyline', 'duloxetine', 'tricyclic-snri', 'caution'],
  ['metoclopramide', 'sertraline', 'metoclopramide-ssri', 'caution'],
  ['trazodone', 'erythromycin', 'trazodone-cyp3a4', 'caution'],
  ['amiodarone', 'ketoconazole', 'amiodarone-azole', 'caution'],
  ['apixaban', 'sertraline', 'doac-ssri', 'caution'],
] as const

/** What primary care gives together every day. */
const ORDINARY = [
  ['amoxicillin', 'paracetamol'],
  ['amoxicillin', 'ibuprofen'],
  ['metformin', 'enalapril'],
  ['metformin', 'glibenclamide'],
  ['metformin', 'insulin human'],
  ['metformin', 'atorvastatin'],
  ['enalapril', 'amlodipine'],
  ['enalapril', 'hydrochlorothiazide'],
  ['losartan', 'amlodipine'],
  ['losartan', 'hydrochlorothiazide'],
  ['bisoprolol', 'amlodipine'],
  ['bisoprolol', 'furosemide'],
  ['furosemide', 'spironolactone'],
  ['atorvastatin', 'amlodipine'],
  ['acetylsalicylic acid', 'atorvastatin'],
  ['acetylsalicylic acid', 'clopidogrel'],
  ['acetylsalicylic acid', 'bisoprolol'],
  ['omeprazole', 'ibuprofen'],
  ['omeprazole', 'amoxicillin'],
  ['clarithromycin', 'amoxicillin'],
  ['clarithromycin', 'omeprazole'],
  ['metronidazole', 'ciprofloxacin'],
  ['metronidazole', 'amoxicillin'],
  ['doxycycline', 'metronidazole'],
  ['ceftriaxone', 'doxycycline'],
  ['ceftriaxone', 'azithromycin'],
  ['salbutamol', 'prednisolone'],
  ['salbutamol', 'beclometasone'],
  ['salbutamol', 'amoxicillin'],
  ['levothyroxine', 'amlodipine'],
  ['ferrous sulfate', 'folic acid'],
  ['ferrous sulfate', 'paracetamol'],
  ['zinc sulfate', 'amoxicillin'],
  ['artemether', 'paracetamol'],
  ['rifampicin', 'isoniazid'],
  ['isoniazid', 'pyridoxine'],
  ['tenofovir disoproxil', 'dolutegravir'],
  ['sulfamethoxazole', 'dolutegravir'],
  ['ibuprofen', 'paracetamol'],
  ['paracetamol', 'codeine'],
  ['sertraline', 'paracetamol'],
  ['fluoxetine', 'diazepam'],
  ['amitriptyline', 'paracetamol'],
  ['valproic acid', 'folic acid'],
  ['allopurinol', 'colchicine'],
  ['morphine', 'metoclopramide'],
  ['ondansetron', 'paracetamol'],
  ['atorvastatin', 'azithromycin'],
  ['atazanavir', 'ranitidine'],
  ['tizanidine', 'levofloxacin'],
] as const

/** What guidelines give together; the route of the first if it is not swallowed. */
const RECOMMENDED: readonly [string, string, string?][] = [
  ['diazepam', 'phenytoin', 'intravenous'],
  ['folic acid', 'phenobarbital'],
  ['lumefantrine', 'lopinavir'],
  ['ezetimibe', 'fenofibrate'],
  ['haloperidol', 'amantadine'],
  ['ifosfamide', 'cisplatin', 'intravenous'],
  ['dantrolene', 'verapamil'],
  ['bedaquiline', 'delamanid'],
  ['rifampicin', 'raltegravir'],
  ['linezolid', 'morphine'],
  ['linezolid', 'codeine'],
  ['etonogestrel', 'darunavir', 'subcutaneous'],
  ['phenylephrine', 'ergometrine', 'intravenous'],
  ['norepinephrine', 'ergometrine', 'intravenous'],
]

describe('interactions', () => {
  test.for(PAIRS)('%s with %s', ([a, b, rule, level]) => {
    for (const [one, other] of [
      [a, b],
      [b, a],
    ] as const)
      expect(warningsOf([drug('A', one)], [drug('B', other)], [])).toMatchObject([
        { kind: 'interaction', rule, level, other: 'B' },
      ])
  })

  test('every rule has a pair here that it answers', () => {
    const tried = new Set<string>(PAIRS.map(([, , rule]) => rule))
    // shown by a more serious rule about the same pair, or by its routes, below
    const elsewhere = [
      'betablocker-verapamil-iv',
      'digoxin-calcium',
      'midazolam-azole',
      'artemether-quinine-injected',
      'warfarin-miconazole',
      'aspirin-nsaid',
      'qt-high',
      'qt-haloperidol-high',
      'qt-haloperidol-known',
      'qt-haloperidol-also',
      'beta-agonist-diuretic',
      'tranexamic-contraceptive-injected',
      'ceftriaxone-calcium',
      'lidocaine-heart',
      'decongestant-nasal',
      'epinephrine-antipsychotic',
    ]
    expect(
      INTERACTIONS.map(({ id }) => id).filter((id) => !tried.has(id) && !elsewhere.includes(id)),
    ).toEqual([])
  })

  test('calcium is a danger with digoxin only into a vein', () => {
    const pair = (route: string) =>
      warningsOf([given('calcium gluconate', route)], [drug('B', 'digoxin')], [])
    expect(pair('oral')).toEqual([])
    expect(pair('intravenous')).toMatchObject([{ rule: 'digoxin-calcium', level: 'avoid' }])
  })

  test('ceftriaxone and calcium are warned of if both are given into a vein', () => {
    const pair = (route: string) =>
      warningsOf([given('ceftriaxone', 'intravenous')], [given('calcium gluconate', route)], [])
    expect(pair('oral')).toEqual([])
    expect(pair('intravenous')).toMatchObject([{ rule: 'ceftriaxone-calcium', level: 'avoid' }])
  })

  test.for([
    ['lidocaine', 'intravenous', 'topical', 'amiodarone', 'lidocaine-heart', 'avoid'],
    ['xylometazoline', 'nasal', 'ophthalmic', 'ephedrine', 'decongestant-nasal', 'avoid'],
    [
      'epinephrine',
      'intramuscular',
      'inhalation',
      'clozapine',
      'epinephrine-antipsychotic',
      'caution',
    ],
  ] as const)(
    '%s counts with its partner by route: %s',
    ([name, counts, other, partner, rule, level]) => {
      const pair = (route: string) => warningsOf([given(name, route)], [given(partner, 'oral')], [])
      expect(pair(other)).toEqual([])
      expect(pair(counts)).toMatchObject([{ rule, level }])
    },
  )

  test('midazolam that is swallowed is graver with an azole, and quinine that is swallowed with artemether', () => {
    const level = (one: string, other: string, route: string) =>
      warningsOf([given(one, route)], [drug('B', other)], []).map((warning) =>
        warningLevel(warning),
      )
    expect(level('midazolam', 'itraconazole', 'oral')).toEqual([MUST])
    expect(level('midazolam', 'itraconazole', 'intravenous')).toEqual(['caution'])
    expect(level('quinine', 'artemether', 'oral')).toEqual(['avoid'])
    expect(level('quinine', 'artemether', 'intravenous')).toEqual(['caution'])
  })

  test('no statin is advised that must not be given with ciclosporin', () => {
    for (const statin of ['atorvastatin', 'pravastatin', 'rosuvastatin'])
      expect(warningsOf([drug('A', statin)], [drug('B', 'ciclosporin')], [])).toMatchObject([
        { todo: { en: expect.stringContaining('Ask the transplant clinic') } },
      ])
  })

  test('tranexamic acid with the combined pill: tablets must not be, an injection is a caution', () => {
    const level = (route: string) =>
      warningsOf([given('tranexamic acid', route)], [drug('B', 'ethinylestradiol')], []).map(
        warningLevel,
      )
    expect(level('oral')).toEqual([MUST])
    expect(level('intravenous')).toEqual(['caution'])
  })

  test('salbutamol with furosemide is warned of if it is swallowed, not if it is inhaled', () => {
    const rules = (route: string) =>
      warningsOf([given('salbutamol', route)], [drug('B', 'furosemide')], []).map(
        (warning) => 'rule' in warning && warning.rule,
      )
    expect(rules('oral')).toEqual(['beta-agonist-diuretic'])
    expect(rules('inhalation')).toEqual([])
  })

  test('what to do names the medicine that is given, not another of its group', () => {
    for (const inhibitor of ['sildenafil', 'tadalafil'])
      expect(warningsOf([drug('A', inhibitor)], [drug('B', 'doxazosin')], [])).toMatchObject([
        { todo: { en: expect.stringMatching(/^(?!.*(sildenafil|mg)).*lowest dose/) } },
      ])
  })

  test('a substance of a group is no pair with itself', () => {
    expect(kindsOf([drug('A', 'haloperidol')], [drug('B', 'haloperidol')], [])).toEqual([
      'duplicate',
    ])
  })

  test('of two warnings about one pair only the more serious is shown', () => {
    // simvastatin is raised by verapamil (take care) and clarithromycin (must not); here both are in one medicine
    expect(
      warningsOf([drug('A', 'simvastatin')], [drug('B', 'clarithromycin', 'amlodipine')], []),
    ).toMatchObject([{ rule: 'statin-cyp3a4' }])
    expect(warningsOf([drug('A', 'amiodarone')], [drug('B', 'sotalol')], [])).toMatchObject([
      { rule: 'qt-high' },
    ])
    expect(
      warningsOf([drug('A', 'ibuprofen')], [drug('B', 'acetylsalicylic acid')], []),
    ).toMatchObject([{ rule: 'aspirin-nsaid' }])
  })

  test('ordinary pairs of primary care give no warning', () => {
    const alarms = ORDINARY.flatMap(([a, b]) =>
      warningsOf([drug('A', a), drug('B', b)], [], []).map((warning) => [
        a,
        b,
        warning.kind,
        warningLevel(warning),
      ]),
    )
    expect(ORDINARY.length).toBeGreaterThanOrEqual(40)
    expect(alarms).toEqual([])
  })

  test('recommended care is no reason for a question', () => {
    const asked = RECOMMENDED.filter(([a, b, route = 'oral']) =>
      warningsOf([given(a, route)], [given(b, 'oral')], []).some(
        (one) => warningLevel(one) !== 'caution',
      ),
    )
    expect(asked).toEqual([])
  })

  test('epinephrine is given in its usual dose in anaphylaxis, also beside a beta-blocker', () => {
    for (const other of ['propranolol', 'amitriptyline'])
      expect(
        warningsOf([given('epinephrine', 'intramuscular')], [drug('B', other)], []),
      ).toMatchObject([{ todo: { en: expect.stringContaining('usual dose of epinephrine') } }])
  })

  test('the H2 blocker is kept from rilpivirine, dantrolene and the corticosteroid are given', () => {
    for (const [a, b, todo] of [
      ['rilpivirine', 'famotidine', '12 hours before'],
      ['dantrolene', 'verapamil', 'give dantrolene'],
      ['praziquantel', 'dexamethasone', 'do not leave out the corticosteroid'],
    ] as const)
      expect(warningsOf([drug('A', a)], [drug('B', b)], [])).toMatchObject([
        { todo: { en: expect.stringContaining(todo) } },
      ])
  })

  test('vancomycin and colistin that are swallowed do not reach the kidneys', () => {
    for (const [swallowed, other] of [
      ['vancomycin', 'amphotericin b'],
      ['colistin', 'gentamicin'],
      ['vancomycin', 'tenofovir'],
      ['vancomycin', 'ciclosporin'],
      ['vancomycin', 'gentamicin'],
      ['vancomycin', 'piperacillin'],
    ] as const)
      expect(warningsOf([given(swallowed, 'oral')], [given(other, 'intravenous')], [])).toEqual([])
  })

  test('a rule that is switched off is silent, and the next one about the pair speaks', () => {
    const pair = [[drug('A', 'ibuprofen')], [drug('B', 'warfarin')], [], undefined] as const
    expect(warningsOf(...pair)).toMatchObject([{ rule: 'warfarin-nsaid' }])
    expect(warningsOf(...pair, new Set(['interaction:warfarin-nsaid']))).toEqual([])
    const both = [
      [drug('A', 'ibuprofen', 'enalapril')],
      [drug('B', 'lithium')],
      [],
      undefined,
    ] as const
    expect(warningsOf(...both, new Set(['interaction:lithium-ras']))).toMatchObject([
      { rule: 'lithium-nsaid' },
    ])
  })
})

describe('duplicates by class', () => {
  test.for([
    ['amitriptyline', 'imipramine', 'tricyclics'],
    ['azithromycin', 'erythromycin', 'macrolides'],
    ['ciprofloxacin', 'ofloxacin', 'fluoroquinolones'],
    ['amlodipine', 'nifedipine', 'dihydropyridines'],
    ['ferrous sulfate', 'ferrous fumarate', 'irons'],
    ['metoclopramide', 'domperidone', 'dopamine_antiemetics'],
    ['ranitidine', 'famotidine', 'h2_blockers'],
    ['doxycycline', 'tetracycline', 'tetracyclines'],
    ['doxazosin', 'tamsulosin', 'alpha_blockers'],
    ['tenofovir disoproxil', 'tenofovir alafenamide', 'tenofovirs'],
    ['sitagliptin', 'vildagliptin', 'dpp4_inhibitors'],
    ['dapagliflozin', 'empagliflozin', 'sglt2_inhibitors'],
  ] as const)('%s and %s', ([a, b, rule]) => {
    const found = warningsOf([drug('A', a)], [drug('B', b)], [])
    expect(found.map((one) => 'rule' in one && one.rule)).toContain(rule)
  })
})

describe('routes', () => {
  test('what stays where it is applied is compared with allergies and not with other medicines', () => {
    const shampoo = given('ketoconazole', 'topical', 'other')
    const eyeDrops = given('chloramphenicol', 'ophthalmic', 'drops')
    expect(warningsOf([shampoo], [given('simvastatin', 'oral')], [])).toEqual([])
    expect(
      warningsOf([given('timolol', 'ophthalmic', 'drops')], [given('verapamil', 'oral')], []),
    ).toEqual([])
    expect(
      warningsOf([given('diclofenac', 'topical', 'gel')], [given('warfarin', 'oral')], []),
    ).toEqual([])
    expect(
      warningsOf([given('ciprofloxacin', 'otic', 'drops')], [given('tizanidine', 'oral')], []),
    ).toEqual([])
    expect(kindsOf([eyeDrops], [], [allergy('chloramphenicol')])).toEqual(['allergy'])
    expect(kindsOf([given('diclofenac', 'topical', 'gel')], [], [allergy('ibuprofen')])).toEqual([
      'allergy',
    ])
  })

  test('the potassium of a rehydration salt is little; a tablet or an infusion of it is not', () => {
    const salts = ['sodium chloride', 'potassium chloride', 'glucose', 'trisodium citrate']
    const ors = { ...drug('ORS', ...salts), route: 'oral', form: 'other' }
    const enalapril = given('enalapril', 'oral')
    expect(warningsOf([ors], [enalapril], [])).toEqual([])
    expect(warningsOf([{ ...ors, route: 'intravenous' }], [enalapril], [])).toMatchObject([
      { rule: 'ras-potassium' },
    ])
    expect(warningsOf([given('potassium chloride', 'oral')], [enalapril], [])).toMatchObject([
      { rule: 'ras-potassium' },
    ])
  })

  test('a rehydration salt is no second dose of a drip or a tablet, a second one is', () => {
    const drip = (name: string) => given(name, 'intravenous', 'infusion')
    const ors = { ...drug('ORS', 'ors'), route: 'oral' }
    for (const salt of ['sodium chloride', 'glucose'])
      expect(warningsOf([ors], [drip(salt)], [])).toEqual([])
    expect(warningsOf([given('potassium chloride', 'oral')], [ors], [])).toEqual([])
    expect(kindsOf([ors], [{ ...ors, drugId: 'B', name: 'B' }], [])).toEqual(['duplicate'])
    expect(kindsOf([drip('glucose')], [drug('B', 'glucose')], [])).toEqual(['duplicate'])
  })

  test('an inhaler of a beta-2 agonist counts', () => {
    for (const [drugGiven, other, rule] of [
      ['salbutamol', 'propranolol', 'betablocker-betaagonist'],
      ['salmeterol', 'ritonavir', 'salmeterol-ritonavir'],
    ] as const)
      for (const route of ['inhalation', 'other'])
        expect(
          warningsOf([given(drugGiven, route, 'inhaler')], [given(other, 'oral')], []),
        ).toMatchObject([{ rule, level: 'avoid' }])
  })

  test('the gel for the mouth is swallowed: miconazole with warfarin', () => {
    const warfarin = given('warfarin', 'oral')
    expect(warningsOf([given('miconazole', 'oral', 'gel')], [warfarin], [])).toMatchObject([
      { rule: 'warfarin-miconazole' },
    ])
    expect(warningsOf([given('miconazole', 'topical', 'cream')], [warfarin], [])).toEqual([])
  })

  test('an injection into a vein is graver than a tablet', () => {
    const beta = given('bisoprolol', 'oral')
    expect(warningsOf([given('verapamil', 'intravenous', 'injection')], [beta], [])).toMatchObject([
      { level: MUST },
    ])
    expect(warningsOf([given('verapamil', 'oral')], [beta], [])).toMatchObject([{ level: 'avoid' }])
    const injected = given('haloperidol', 'intravenous', 'injection')
    expect(warningsOf([injected], [given('ondansetron', 'oral')], [])).toMatchObject([
      { level: MUST },
    ])
    expect(
      warningsOf([given('haloperidol', 'oral')], [given('ondansetron', 'oral')], []),
    ).toMatchObject([{ level: 'caution' }])
  })
})
