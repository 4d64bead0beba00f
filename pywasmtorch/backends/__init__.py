"""torch.backends: switches that programs set and that change nothing here."""

from types import SimpleNamespace as _Switches


def _absent() -> bool:
    return False


cuda = _Switches(is_built=_absent, matmul=_Switches(allow_tf32=False), enable_flash_sdp=lambda enabled: None)
cudnn = _Switches(is_available=_absent, enabled=False, benchmark=False, deterministic=True, allow_tf32=False, version=lambda: None)
mps = _Switches(is_available=_absent, is_built=_absent)
mkl = _Switches(is_available=_absent)
mkldnn = _Switches(is_available=_absent, enabled=False)
openmp = _Switches(is_available=_absent)
