"""An OpenStack-like cloud in one small process. Reached by HTTP only; knows nothing of the rest of Calor."""
